// How long a pod that failed stays away. Kubernetes counts in whole seconds: pods that fail within the same second come
// back together.
#pragma once

#include <chrono>
#include <optional>

#include "base/clock.h"
#include "scheduler/queue/waiting_pod.h"

namespace rescheduler::scheduler {

struct RetrySettings {
  std::chrono::nanoseconds initial_backoff = std::chrono::seconds{1};
  std::chrono::nanoseconds max_backoff = std::chrono::seconds{10};  // zero: no back-off at all
};

using WallSecond = std::chrono::sys_seconds;

inline WallSecond second_of(WallTime time) { return std::chrono::floor<std::chrono::seconds>(time); }

// initial, twice that, ... up to the maximum; nothing before the first failure.
std::chrono::nanoseconds backoff_after(int failures, const RetrySettings& settings);

// The second in which this pod's back-off ends; it is over in the next one. Nothing: it has none to wait for.
std::optional<WallSecond> backoff_end(const WaitingPod& pod, const RetrySettings& settings);

inline bool backing_off(std::optional<WallSecond> end, WallTime now) { return end && *end >= second_of(now); }

}  // namespace rescheduler::scheduler
