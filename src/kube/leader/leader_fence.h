// Tells whether this process is still the leader. Every writer checks the fence right before a write.
//
// The fence stores a time and compares it with the clock, so it closes without any action. A process that was frozen,
// or whose elector hangs, is refused as soon as it runs again. A check is one atomic load and one clock reading, on any
// thread.
//
// The time between the check and the effect on the server is covered by the gap between renew deadline and lease
// duration: a request with a timeout of at most time_left() ends before another process can lead.
#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.h"

namespace rescheduler::kube {

class LeaderFence {
 public:
  explicit LeaderFence(const Clock& clock) : clock_(&clock) {}

  bool may_act() const { return clock_->steady_now() < valid_until(); }

  std::chrono::nanoseconds time_left() const {
    const SteadyTime until = valid_until();
    if (until == SteadyTime::max()) return std::chrono::nanoseconds::max();
    const SteadyTime now = clock_->steady_now();
    return now < until ? until - now : std::chrono::nanoseconds{0};
  }

  // For the elector. A process without leader election sets SteadyTime::max().
  void allow_until(SteadyTime instant) { until_.store(instant.time_since_epoch().count()); }
  void close() { allow_until(SteadyTime::min()); }

 private:
  using Count = SteadyTime::rep;
  SteadyTime valid_until() const { return SteadyTime{SteadyTime::duration{until_.load()}}; }

  const Clock* clock_;
  std::atomic<Count> until_{SteadyTime::min().time_since_epoch().count()};
};

}  // namespace rescheduler::kube
