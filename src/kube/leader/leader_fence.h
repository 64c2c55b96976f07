// Asked by every writer right before it writes: is this process still the leader?
//
// The answer is an instant compared with the clock, so it turns to "no" by itself: a process that was frozen, or
// whose elector hangs, is refused the moment it runs again. One atomic load and one clock reading; any thread.
//
// What remains between the question and the server's deed is covered by the gap between renew deadline and lease
// duration: limit a request's timeout to time_left(), and it is over before anybody else can lead.
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

  // For the elector; and with SteadyTime::max() for a process that needs no election.
  void allow_until(SteadyTime instant) { until_.store(instant.time_since_epoch().count()); }
  void close() { allow_until(SteadyTime::min()); }

 private:
  using Count = SteadyTime::rep;
  SteadyTime valid_until() const { return SteadyTime{SteadyTime::duration{until_.load()}}; }

  const Clock* clock_;
  std::atomic<Count> until_{SteadyTime::min().time_since_epoch().count()};
};

}  // namespace rescheduler::kube
