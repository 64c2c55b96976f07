#include "scheduler/queue/queue_metrics.h"

namespace rescheduler::scheduler {

void QueueMetrics::waiting(std::string_view queue, std::size_t pods) {
  auto found = waiting_.find(queue);
  if (found == waiting_.end()) {
    const std::string name{queue};
    Gauge& gauge = registry_.gauge("scheduler_pending_pods",
                                   "Pods that wait for a node, by queue: active, backoff, unschedulable or gated.",
                                   {{"queue", name}});
    found = waiting_.emplace(name, &gauge).first;
  }
  found->second->set(static_cast<double>(pods));
}

void QueueMetrics::count_incoming(std::string_view queue, std::string_view event) {
  auto found = came_in_.find(PairOrder::View{queue, event});
  if (found == came_in_.end()) {
    Pair key{queue, event};
    Counter& counter =
        registry_.counter("scheduler_queue_incoming_pods_total", "Pods added to a queue, by the event that added them.",
                          {{"queue", key.first}, {"event", key.second}});
    found = came_in_.emplace(std::move(key), &counter).first;
  }
  found->second->add();
}

void QueueMetrics::in_flight_changed(std::string_view event, int change) {
  auto found = in_flight_.find(event);
  if (found == in_flight_.end()) {
    const std::string name{event};
    Gauge& gauge =
        registry_.gauge("scheduler_inflight_events",
                        "Cluster events kept for pods whose scheduling attempt is in progress.", {{"event", name}});
    found = in_flight_.emplace(name, Level{.gauge = &gauge}).first;
  }
  found->second.value += change;
  found->second.gauge->set(found->second.value);
}

void QueueMetrics::count_unschedulable(std::string_view plugin, std::string_view profile, int change) {
  auto found = unschedulable_.find(PairOrder::View{plugin, profile});
  if (found == unschedulable_.end()) {
    Pair key{plugin, profile};
    Gauge& gauge = registry_.gauge("scheduler_unschedulable_pods", "Pending pods that a plugin rejected.",
                                   {{"plugin", key.first}, {"profile", key.second}});
    found = unschedulable_.emplace(std::move(key), Level{.gauge = &gauge}).first;
  }
  found->second.value += change;
  found->second.gauge->set(found->second.value);
}

}  // namespace rescheduler::scheduler
