#include "config/resolve.h"

#include <algorithm>

namespace rescheduler::config {
namespace {

using placement::Point;

const PluginChoice* find(const std::vector<PluginChoice>& choices, const std::string& name) {
  const auto found = std::ranges::find_if(choices, [&](const PluginChoice& choice) { return choice.name == name; });
  return found != choices.end() ? &*found : nullptr;
}

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

// The weight of a plugin that the configuration enables without a weight: 1 for plugins of kube-scheduler, as in
// kube-scheduler, and KnownPlugin::default_weight for Rescheduler and Podrescheduling.
int weight_of(const PluginChoice& choice, const PluginCatalog& catalog) {
  if (choice.weight != 0) return choice.weight;
  const KnownPlugin* plugin = find_plugin(catalog, choice.name);
  return plugin != nullptr && !plugin->default_enabled ? plugin->default_weight : 1;
}

std::vector<PluginChoice> with_defaults(const PluginSet& asked, const PluginCatalog& catalog) {
  std::vector<PluginChoice> all;
  if (!has(asked.disabled, "*")) {
    for (const KnownPlugin& plugin : catalog) {
      if (!plugin.default_enabled || has(asked.disabled, plugin.name)) continue;
      const PluginChoice* again = find(asked.enabled, plugin.name);
      all.push_back(again != nullptr ? *again : PluginChoice{plugin.name, plugin.default_weight});
    }
  }
  for (const PluginChoice& choice : asked.enabled) {
    if (find(all, choice.name) == nullptr) all.push_back(choice);
  }
  return all;
}

std::vector<PluginChoice> at_point(Point point,
                                   const PluginSet& own,
                                   const std::vector<PluginChoice>& multi_point,
                                   const PluginCatalog& catalog) {
  if (has(own.disabled, "*")) return own.enabled;
  std::vector<PluginChoice> expanded;  // plugins of multiPoint that implement this extension point
  for (const PluginChoice& choice : multi_point) {
    const KnownPlugin* plugin = find_plugin(catalog, choice.name);
    if (plugin != nullptr && plugin->points.has(point) && !has(own.disabled, choice.name)) expanded.push_back(choice);
  }
  std::vector<PluginChoice> all;
  for (const PluginChoice& choice : own.enabled) {
    if (find(expanded, choice.name) != nullptr) all.push_back(choice);
  }
  for (const PluginChoice& choice : expanded) {
    if (find(own.enabled, choice.name) == nullptr) all.push_back(choice);
  }
  for (const PluginChoice& choice : own.enabled) {
    if (find(expanded, choice.name) == nullptr) all.push_back(choice);
  }
  return all;
}

}  // namespace

PluginsByPoint resolve_plugins(const PluginChoices& choices, const PluginCatalog& catalog) {
  const std::vector<PluginChoice> multi_point = with_defaults(choices.multi_point, catalog);
  PluginsByPoint resolved;
  for (std::size_t i = 0; i < placement::kPointCount; ++i) {
    const auto point = static_cast<Point>(i);
    for (const PluginChoice& choice : at_point(point, choices.points[i], multi_point, catalog)) {
      resolved[i].push_back({choice.name, point == Point::Score ? weight_of(choice, catalog) : 1});
    }
  }
  return resolved;
}

}  // namespace rescheduler::config
