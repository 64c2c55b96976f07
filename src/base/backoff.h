// Exponential back-off with jitter: how long to wait after the nth failure in a row.
//
// The owner calls next() on a failure and reset() on the first sign of real progress - a message, not a
// mere connection -, so that a server that accepts and then drops everybody is still backed off from.
#pragma once

#include <chrono>
#include <optional>

#include "base/rng.h"

namespace rescheduler {

struct BackoffPolicy {
  std::chrono::milliseconds first{800};
  std::chrono::milliseconds most{30'000};
  double factor = 2.0;
  double jitter = 0.5;  // a wait is drawn from [nominal * (1 - jitter), nominal * (1 + jitter)]
};

class Backoff {
 public:
  Backoff(BackoffPolicy policy, Rng& rng) : policy_(policy), rng_(&rng) {}

  // What the server asked for is a floor: never sooner, and never all clients at the same moment.
  std::chrono::milliseconds next(std::optional<std::chrono::milliseconds> retry_after = std::nullopt);
  void reset() noexcept { failures_ = 0; }
  int failures() const noexcept { return failures_; }

 private:
  BackoffPolicy policy_;
  Rng* rng_;
  int failures_ = 0;
};

}  // namespace rescheduler
