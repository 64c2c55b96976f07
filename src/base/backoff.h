// Exponential backoff with jitter: the wait after the nth failure in a row.
//
// The owner calls next() after a failure. It calls reset() only after progress, such as a received watch event. A
// connection is not progress: a server that accepts connections and then drops them still causes backoff.
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

  // The Retry-After of the server is a lower bound. Jitter is added to it, so that clients do not retry at the same
  // moment.
  std::chrono::milliseconds next(std::optional<std::chrono::milliseconds> retry_after = std::nullopt);
  void reset() noexcept { failures_ = 0; }
  int failures() const noexcept { return failures_; }

 private:
  BackoffPolicy policy_;
  Rng* rng_;
  int failures_ = 0;
};

}  // namespace rescheduler
