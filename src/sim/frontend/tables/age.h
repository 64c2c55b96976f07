// Durations and ages in kubectl's format: two or three significant figures.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace rescheduler::sim {

// "90s", "2m30s", "15m", "3h12m", "20h", "5d2h", "400d", "2y10d". Slightly below zero is "0s", because clocks differ.
std::string human_duration(std::chrono::nanoseconds duration);

// The age of an API timestamp; "<unknown>" if it is empty, "<invalid>" if it is not a time.
std::string human_age(std::string_view timestamp, WallTime now);

}  // namespace rescheduler::sim
