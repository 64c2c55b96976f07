// From what a profile asks for to the plugins that run, in kube-scheduler's order.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "config/catalog.h"
#include "placement/profile.h"

namespace rescheduler::config {

struct PluginChoice {
  std::string name;
  int weight = 0;  // 0: not said
};

struct PluginSet {
  std::vector<PluginChoice> enabled{};
  std::vector<std::string> disabled{};  // "*": all that are not in `enabled`
};

struct PluginChoices {
  PluginSet multi_point{};
  std::array<PluginSet, placement::kPointCount> points{};  // by Point
};

using PluginsByPoint = decltype(placement::Profile::plugins);

// Every name in an `enabled` is in the catalog, once in its list, and its plugin can have a say at that point.
//
// At each point: first those that multiPoint names and the point names again, in the point's order; then the rest of
// multiPoint; then what only the point names. multiPoint itself is the defaults, a default that is named again keeping
// its place (but not its weight), followed by the others. A point's weight beats multiPoint's.
PluginsByPoint resolve_plugins(const PluginChoices& choices, const PluginCatalog& catalog);

}  // namespace rescheduler::config
