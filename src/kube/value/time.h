// Times in the format of the Kubernetes API: RFC 3339, always printed in UTC.
//
// UnixTime is the protobuf form and covers the years 0 to 9999. WallTime, which the program computes with, covers
// 1677-09-21 to 2262-04-11; a valid date outside this range is an error and never wraps.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace rescheduler::kube {

struct UnixTime {
  std::int64_t seconds = 0;      // since 1970
  std::int32_t nanoseconds = 0;  // 0 .. 999'999'999

  bool operator==(const UnixTime&) const = default;
};

enum class TimePrecision {
  Seconds,  // metav1.Time: "2006-01-02T15:04:05Z"; fractions are rounded down
  Micros,   // metav1.MicroTime: "2006-01-02T15:04:05.000000Z"
};

// "2024-02-29T12:00:00Z", with any fraction ("." digits) and any offset ("+02:00"). Digits after the ninth are dropped.
// Leap seconds and years after 9999 are errors.
Result<UnixTime> parse_unix_time(std::string_view text);
Result<WallTime> parse_time(std::string_view text);

Result<WallTime> time_from_unix(std::int64_t seconds, std::int32_t nanoseconds);
// The time of a field that any client can write. The epoch if it is outside the years 1700 to 2199: then a caller can
// add or subtract a duration without overflow.
WallTime wall_time_or_epoch(std::int64_t seconds, std::int32_t nanoseconds);
// An api::Time or api::MicroTime; the epoch also if the field is absent.
template <class ApiTime>
WallTime wall_time(const ApiTime& time) {
  return wall_time_or_epoch(time.seconds(), time.nanos());
}

// In whole microseconds like api::MicroTime, so that a value that is read back equals the value that was written.
UnixTime unix_micros(WallTime time);
template <class MicroTime>
void set_time(MicroTime& into, WallTime time) {
  const UnixTime micros = unix_micros(time);
  into.set_seconds(micros.seconds);
  into.set_nanos(micros.nanoseconds);
}

// Times outside the years 0 to 9999 are clamped.
std::string format_unix_time(UnixTime time, TimePrecision precision);
std::string format_time(WallTime time);        // whole seconds
std::string format_micro_time(WallTime time);  // microseconds

}  // namespace rescheduler::kube
