// Who wants to know how long deciding takes. The clock is the timekeeper's: deciding itself has none, and decides the
// same whether it is timed or not.
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

// Asks every plugin once more about a pod and a few nodes, and tells what each took. Most answers of a decision are
// remembered ones, so timing the decision itself would say little about the plugins; this is done for one in many.
void time_plugins(const Framework& framework,
                  const PodContext& context,
                  std::span<const cluster::NodeIndex> nodes,
                  PluginTimer& plugin_timer);

}  // namespace rescheduler::placement
