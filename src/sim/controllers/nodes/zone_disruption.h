// How fast nodes of a zone get NoExecute taints when many of them have no heartbeat. In that case a failure of the
// network is likelier than a failure of all these nodes.
#pragma once

#include <string>

#include "base/clock.h"

namespace rescheduler::sim {

struct NodeLifecycleSettings {
  std::chrono::nanoseconds monitor_period = std::chrono::seconds{5};
  std::chrono::nanoseconds grace_period = std::chrono::seconds{50};          // without heartbeat: Ready becomes Unknown
  std::chrono::nanoseconds startup_grace_period = std::chrono::seconds{60};  // for nodes that never reported
  double nodes_per_second = 0.1;                                             // nodes tainted NoExecute, in each zone
  double nodes_per_second_disrupted = 0.01;  // the same in a large zone with partial disruption; 0 in a small zone
  int large_zone = 50;                       // a large zone has more nodes than this
  double disrupted_from = 0.55;              // PartialDisruption: this share, and at least three nodes, not ready
};

// Initial: not computed yet.
enum class ZoneState { Initial, Normal, PartialDisruption, FullDisruption };

ZoneState zone_state(int ready, int not_ready, const NodeLifecycleSettings& settings);
double eviction_rate(ZoneState state, int nodes, const NodeLifecycleSettings& settings);

// A token bucket of size one: the next node can be taken 1/rate after the last one.
class NodeRate {
 public:
  explicit NodeRate(double per_second) : per_second_(per_second) {}

  bool never() const { return per_second_ <= 0; }
  SteadyTime next() const { return next_; }  // when the next node can be taken; undefined if never()
  void take(SteadyTime now) { next_ = now + gap(); }
  // If the old rate requires waiting now, the new rate requires waiting too.
  void change(double per_second, SteadyTime now);

 private:
  std::chrono::nanoseconds gap() const;

  double per_second_;
  SteadyTime next_{};
};

}  // namespace rescheduler::sim
