// Points in time as the Kubernetes API writes them: RFC 3339, always UTC when printed.
//
// WallTime reaches from 1677-09-21 to 2262-04-11; a well-formed date outside it is refused, never wrapped.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/error.h"

namespace rescheduler::kube {

// "2024-02-29T12:00:00Z", with any fraction ("." digits) and any offset ("+02:00"). Digits past the ninth are dropped.
// There is no leap second and no year beyond 9999.
Result<WallTime> parse_time(std::string_view text);

// The protobuf form: seconds since 1970 and 0..999'999'999 nanoseconds after them.
Result<WallTime> time_from_unix(std::int64_t seconds, std::int32_t nanoseconds);

// metav1.Time: whole seconds, "2006-01-02T15:04:05Z". Earlier fractions are cut towards the past.
std::string format_time(WallTime time);

// metav1.MicroTime: "2006-01-02T15:04:05.000000Z".
std::string format_micro_time(WallTime time);

}  // namespace rescheduler::kube
