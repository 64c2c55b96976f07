// How long a failed pod waits in backoff. Kubernetes counts in whole seconds: pods that fail within the same second
// come back together.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "scheduler/queue/waiting_pod.h"

namespace rescheduler::scheduler {

struct RetrySettings {
  std::chrono::nanoseconds initial_backoff = std::chrono::seconds{1};
  std::chrono::nanoseconds max_backoff = std::chrono::seconds{10};  // zero: no backoff
};

using WallSecond = std::chrono::sys_seconds;

inline WallSecond second_of(WallTime time) { return std::chrono::floor<std::chrono::seconds>(time); }

// initial_backoff, doubled with each failure up to max_backoff; zero before the first failure.
std::chrono::nanoseconds backoff_after(int failures, const RetrySettings& settings);

// The second in which the backoff of this pod ends; the backoff is over in the next second. Nullopt: no backoff.
std::optional<WallSecond> backoff_end(const WaitingPod& pod, const RetrySettings& settings);

inline bool backing_off(std::optional<WallSecond> end, WallTime now) { return end && *end >= second_of(now); }

}  // namespace rescheduler::scheduler
