// Points in time as the Kubernetes API writes them: RFC 3339, always UTC when printed.
//
// UnixTime is the protobuf form and holds every date that can be written, years 0 to 9999. WallTime, which we compute
// with, reaches from 1677-09-21 to 2262-04-11; a well-formed date outside it is refused, never wrapped.
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
  Seconds,  // metav1.Time: "2006-01-02T15:04:05Z"; fractions are cut towards the past
  Micros,   // metav1.MicroTime: "2006-01-02T15:04:05.000000Z"
};

// "2024-02-29T12:00:00Z", with any fraction ("." digits) and any offset ("+02:00"). Digits past the ninth are dropped.
// There is no leap second and no year beyond 9999.
Result<UnixTime> parse_unix_time(std::string_view text);
Result<WallTime> parse_time(std::string_view text);

Result<WallTime> time_from_unix(std::int64_t seconds, std::int32_t nanoseconds);

// Times outside the years 0 to 9999 are drawn to the nearer end.
std::string format_unix_time(UnixTime time, TimePrecision precision);
std::string format_time(WallTime time);        // whole seconds
std::string format_micro_time(WallTime time);  // microseconds

}  // namespace rescheduler::kube
