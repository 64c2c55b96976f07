// Computes the plugins of each extension point from the `plugins` of a profile, in the order of kube-scheduler.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "config/catalog.h"
#include "placement/profile.h"

namespace rescheduler::config {

struct PluginChoice {
  std::string name;
  int weight = 0;  // 0: not set
};

struct PluginSet {
  std::vector<PluginChoice> enabled{};
  std::vector<std::string> disabled{};  // "*": all plugins that are not in `enabled`
};

struct PluginChoices {
  PluginSet multi_point{};
  std::array<PluginSet, placement::kPointCount> points{};  // by Point
};

using PluginsByPoint = decltype(placement::Profile::plugins);

// Precondition: each name in `enabled` is in the catalog, is unique in its list, and its plugin implements the
// extension point.
//
// Order at an extension point:
//   1. plugins that both the extension point and multiPoint enable, in the order of the extension point
//   2. the other plugins of multiPoint
//   3. plugins that only the extension point enables
// multiPoint consists of the default plugins and then the others. A default plugin that is enabled again keeps its
// position and gets the new weight. The weight of an extension point has priority over that of multiPoint.
PluginsByPoint resolve_plugins(const PluginChoices& choices, const PluginCatalog& catalog);

}  // namespace rescheduler::config
