// How fast nodes of a zone may be given up when many of them are silent: it is likelier then that the network between
// them and us has failed than that they have.
#pragma once

#include <string>

#include "base/clock.h"

namespace rescheduler::sim {

struct NodeLifecycleSettings {
  std::chrono::nanoseconds monitor_period = std::chrono::seconds{5};
  std::chrono::nanoseconds grace_period = std::chrono::seconds{50};          // without a sign of life: Ready is Unknown
  std::chrono::nanoseconds startup_grace_period = std::chrono::seconds{60};  // of nodes that never reported
  double nodes_per_second = 0.1;                                             // tainted for eviction, in each zone
  double nodes_per_second_disrupted = 0.01;  // the same in a large zone that is partly down; a small one stops
  int large_zone = 50;                       // more nodes than this
  double disrupted_from = 0.55;              // this share of a zone, and at least three nodes, not ready
};

// Initial: not looked at yet.
enum class ZoneState { Initial, Normal, PartialDisruption, FullDisruption };

ZoneState zone_state(int ready, int not_ready, const NodeLifecycleSettings& settings);
double eviction_rate(ZoneState state, int nodes, const NodeLifecycleSettings& settings);

// One token at most: the next node may be taken no sooner than 1/rate after the last one.
class NodeRate {
 public:
  explicit NodeRate(double per_second) : per_second_(per_second) {}

  bool never() const { return per_second_ <= 0; }
  SteadyTime next() const { return next_; }  // when the next may be taken; meaningless if never()
  void take(SteadyTime now) { next_ = now + gap(); }
  // A rate that has to be waited for before has to be waited for after, too.
  void change(double per_second, SteadyTime now);

 private:
  std::chrono::nanoseconds gap() const;

  double per_second_;
  SteadyTime next_{};
};

}  // namespace rescheduler::sim
