// The metrics of the queue, with kube-scheduler's names.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "base/metrics.h"

namespace rescheduler::scheduler {

class QueueMetrics {
 public:
  explicit QueueMetrics(MetricRegistry& registry) : registry_(registry) {}

  void waiting(std::string_view queue, std::size_t pods);               // scheduler_pending_pods
  void count_incoming(std::string_view queue, std::string_view event);  // scheduler_queue_incoming_pods_total
  void in_flight_changed(std::string_view event, int change);           // scheduler_inflight_events
  void count_unschedulable(std::string_view plugin,
                           std::string_view profile,
                           int change);  // scheduler_unschedulable_pods

 private:
  struct Level {
    Gauge* gauge = nullptr;
    double value = 0;
  };
  using Pair = std::pair<std::string, std::string>;
  struct PairOrder {
    using is_transparent = void;
    using View = std::pair<std::string_view, std::string_view>;
    bool operator()(const View& a, const View& b) const { return a < b; }
  };

  MetricRegistry& registry_;
  std::map<std::string, Gauge*, std::less<>> waiting_;
  std::map<Pair, Counter*, PairOrder> came_in_;
  std::map<std::string, Level, std::less<>> in_flight_;
  std::map<Pair, Level, PairOrder> unschedulable_;
};

}  // namespace rescheduler::scheduler
