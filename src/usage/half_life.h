// The weight of a new sample. It depends on the time since the previous sample, not on the number of samples: samples
// come irregularly, and after a long gap the old value counts little.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

namespace rescheduler::usage {

// From 0, immediately after the previous sample, to 1. It is 0.5 after the half-life. Without a half-life only the
// newest sample counts.
inline double weight_of_new(std::chrono::nanoseconds gap, std::chrono::nanoseconds half_life) {
  if (half_life <= std::chrono::nanoseconds::zero()) return 1;
  using Seconds = std::chrono::duration<double>;
  return 1 - std::exp2(-Seconds(std::max(gap, std::chrono::nanoseconds::zero())) / Seconds(half_life));
}

}  // namespace rescheduler::usage
