// Client-side rate limit, a token bucket: a number of requests per second with a burst, in the order of arrival.
#pragma once

#include <chrono>

#include "base/clock.h"

namespace rescheduler::kube {

class RateLimiter {
 public:
  // `per_second` <= 0 means no limit.
  RateLimiter(double per_second, double burst);

  // Reserves a token and returns the wait until it may be used.
  std::chrono::nanoseconds reserve(SteadyTime now);

 private:
  double per_second_;
  double burst_;
  double tokens_;
  SteadyTime updated_{};
};

}  // namespace rescheduler::kube
