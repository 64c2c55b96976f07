// How much a new sample counts beside what was known before: by the time between them, not by their number, since
// samples come irregularly and a long gap forgets.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rescheduler::usage {

// From 0, at once after the last one, to 1. Half after the half-life; without one only the newest counts.
inline double weight_of_new(std::chrono::nanoseconds gap, std::chrono::nanoseconds half_life) {
  if (half_life <= std::chrono::nanoseconds::zero()) return 1;
  using Seconds = std::chrono::duration<double>;
  return 1 - std::exp2(-Seconds(std::max(gap, std::chrono::nanoseconds::zero())) / Seconds(half_life));
}

}  // namespace rescheduler::usage
