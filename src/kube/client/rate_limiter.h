// A token bucket on our own side: so many requests a second, a burst above it, first come first served.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace rescheduler::kube {

class RateLimiter {
 public:
  // `per_second` <= 0 means no limit.
  RateLimiter(double per_second, double burst);

  // Takes a place in the queue and says how long to wait before using it.
  std::chrono::nanoseconds reserve(SteadyTime now);

 private:
  double per_second_;
  double burst_;
  double tokens_;
  SteadyTime updated_{};
};

}  // namespace rescheduler::kube
