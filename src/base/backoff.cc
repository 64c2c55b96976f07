#include "base/backoff.h"

#include <algorithm>
#include <cmath>

namespace rescheduler {

std::chrono::milliseconds Backoff::next(std::optional<std::chrono::milliseconds> retry_after) {
  const double ceiling = static_cast<double>(policy_.most.count());
  const double nominal =
      std::min(ceiling, static_cast<double>(policy_.first.count()) * std::pow(policy_.factor, failures_));
  ++failures_;
  const double spread = nominal * policy_.jitter;
  const double drawn = nominal - spread + 2 * spread * rng_->unit();
  auto wait = std::chrono::milliseconds{static_cast<std::int64_t>(std::min(drawn, ceiling))};
  if (retry_after && *retry_after > wait) {
    const auto extra = static_cast<std::int64_t>(static_cast<double>(retry_after->count()) * 0.1 * rng_->unit());
    wait = *retry_after + std::chrono::milliseconds{extra};
  }
  return wait;
}

}  // namespace rescheduler
