// Durations in the format of Go ("1h30m", "300ms", "-1.5s"), which the Kubernetes API uses.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rescheduler::kube {

// Units: ns us (also with a Greek mu or a micro sign) ms s m h. Fractions below a nanosecond are dropped.
Result<std::chrono::nanoseconds> parse_duration(std::string_view text);

// "1h30m0s", "1.5s", "300ms", "2µs", "0s".
std::string format_duration(std::chrono::nanoseconds duration);

}  // namespace rescheduler::kube
