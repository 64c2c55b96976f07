// Cron schedules ("*/5 8-17 * * MON-FRI", "@hourly", "@every 90s"), in UTC.
//
// The rules are those of the library that Kubernetes uses: five fields; '*' and '?' mean any; lists, ranges, steps and
// English names. If both the day of the month and the day of the week are restricted, one match is enough.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace rescheduler::sim {

class CronSchedule {
 public:
  // The error has that library's message.
  static Result<CronSchedule> parse(std::string_view text);

  // The first time strictly after `after`. Empty if there is none within five years ("30 February").
  std::optional<WallTime> next(WallTime after) const;

 private:
  struct Days {
    std::bitset<32> of_month{};
    std::bitset<7> of_week{};
    bool any_of_month = false;
    bool any_of_week = false;
    bool match(std::chrono::sys_days day) const;
  };

  std::optional<std::chrono::seconds> every_{};
  std::bitset<60> minutes_{};
  std::bitset<24> hours_{};
  std::bitset<13> months_{};
  Days days_{};
};

// The error in a schedule, with the message of the library that Kubernetes uses; empty for a valid schedule. A schedule
// with a time zone (TZ=) is valid too, but CronSchedule cannot parse it.
std::string cron_fault(std::string_view schedule);

}  // namespace rescheduler::sim
