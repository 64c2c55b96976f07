// Durations and ages as kubectl's readers know them: two or three significant figures.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace rescheduler::sim {

// "90s", "2m30s", "15m", "3h12m", "20h", "5d2h", "400d", "2y10d". A little below zero is "0s": clocks differ.
std::string human_duration(std::chrono::nanoseconds duration);

// Since a time as the API writes it; "<unknown>" when it is empty, "<invalid>" when it is no time.
std::string human_age(std::string_view timestamp, WallTime now);

}  // namespace rescheduler::sim
