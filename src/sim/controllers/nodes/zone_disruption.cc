#include "sim/controllers/nodes/zone_disruption.h"

namespace rescheduler::sim {

ZoneState zone_state(int ready, int not_ready, const NodeLifecycleSettings& settings) {
  if (ready == 0 && not_ready > 0) return ZoneState::FullDisruption;
  const double share = not_ready == 0 ? 0 : static_cast<double>(not_ready) / (ready + not_ready);
  // In single precision, as the real controller compares.
  if (not_ready > 2 && static_cast<float>(share) >= static_cast<float>(settings.disrupted_from)) {
    return ZoneState::PartialDisruption;
  }
  return ZoneState::Normal;
}

double eviction_rate(ZoneState state, int nodes, const NodeLifecycleSettings& settings) {
  if (state != ZoneState::PartialDisruption) return settings.nodes_per_second;
  return nodes > settings.large_zone ? settings.nodes_per_second_disrupted : 0;
}

std::chrono::nanoseconds NodeRate::gap() const {
  return std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 / per_second_));
}

void NodeRate::change(double per_second, SteadyTime now) {
  if (per_second == per_second_) return;
  const bool waiting = never() || now < next_;
  per_second_ = per_second;
  if (never()) return;
  next_ = waiting ? now + gap() : now;
}

}  // namespace rescheduler::sim
