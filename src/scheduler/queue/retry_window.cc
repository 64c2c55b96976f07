#include "scheduler/queue/retry_window.h"

namespace rescheduler::scheduler {

using std::chrono::nanoseconds;

nanoseconds backoff_after(int failures, const RetrySettings& settings) {
  if (failures <= 0 || settings.initial_backoff <= nanoseconds{0}) return nanoseconds{0};
  nanoseconds wait = settings.initial_backoff;
  for (int i = 1; i < failures && wait < settings.max_backoff; ++i) {
    if (wait > settings.max_backoff / 2) return settings.max_backoff;
    wait *= 2;
  }
  return wait < settings.max_backoff ? wait : settings.max_backoff;
}

std::optional<WallSecond> backoff_end(const WaitingPod& pod, const RetrySettings& settings) {
  const nanoseconds wait = backoff_after(pod.errors > 0 ? pod.errors : pod.rejections, settings);
  if (wait <= nanoseconds{0}) return std::nullopt;
  return second_of(pod.timestamp + wait);
}

}  // namespace rescheduler::scheduler
