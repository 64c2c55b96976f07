#include "kube/client/rate_limiter.h"

#include <algorithm>

namespace rescheduler::kube {

RateLimiter::RateLimiter(double per_second, double burst)
    : per_second_(per_second), burst_(std::max(1.0, burst)), tokens_(burst_) {}

std::chrono::nanoseconds RateLimiter::reserve(SteadyTime now) {
  if (per_second_ <= 0) return {};
  using Seconds = std::chrono::duration<double>;
  if (updated_ != SteadyTime{}) {
    tokens_ = std::min(burst_, tokens_ + Seconds(now - updated_).count() * per_second_);
  }
  updated_ = now;
  tokens_ -= 1;  // negative: this many requests wait for a token
  if (tokens_ >= 0) return {};
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Seconds(-tokens_ / per_second_));
}

}  // namespace rescheduler::kube
