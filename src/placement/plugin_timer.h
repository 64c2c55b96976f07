// Receives the durations of a decision. The clock belongs to the PluginTimer. The decision itself has no clock, and its
// result does not depend on timing.
#pragma once

#include <chrono>
#include <span>

#include "placement/framework.h"

namespace rescheduler::placement {

class PluginTimer {
 public:
  virtual ~PluginTimer() = default;
  virtual std::chrono::nanoseconds now() = 0;
  virtual void point_took(Point point, Code code, std::chrono::nanoseconds time) = 0;
  virtual void plugin_took(const Plugin& plugin, Point point, Code code, std::chrono::nanoseconds time) = 0;
};

// Calls every plugin again for a pod and a few nodes, and reports each duration. Most results of a decision come from
// caches, so the time of the decision itself says little about the plugins. Only a small sample of decisions is timed.
void time_plugins(const Framework& framework,
                  const PodContext& context,
                  std::span<const cluster::NodeIndex> nodes,
                  PluginTimer& plugin_timer);

}  // namespace rescheduler::placement
