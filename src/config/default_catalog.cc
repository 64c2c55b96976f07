#include <map>

#include "config/catalog.h"
#include "config/default_args.h"
#include "config/podrescheduling_args.h"
#include "config/rescheduler_args.h"
#include "placement/registry.h"

namespace rescheduler::config {
namespace {

// Of those that take settings.
PluginArgsFormat format_of(const std::string& plugin) {
  static const std::map<std::string, PluginArgsFormat> formats = {
      {"NodeAffinity", node_affinity_format()},
      {"NodeResourcesFit", node_resources_fit_format()},
      {"VolumeBinding", volume_binding_format()},
      {"PodTopologySpread", pod_topology_spread_format()},
      {"InterPodAffinity", inter_pod_affinity_format()},
      {"DynamicResources", dynamic_resources_format()},
      {"DefaultPreemption", default_preemption_format()},
      {"NodeResourcesBalancedAllocation", balanced_allocation_format()},
      {"Rescheduler", rescheduler_format()},
      {"Podrescheduling", podrescheduling_format()},
  };
  const auto found = formats.find(plugin);
  return found == formats.end() ? PluginArgsFormat{} : found->second;
}

}  // namespace

const KnownPlugin* find_plugin(const PluginCatalog& catalog, std::string_view name) {
  for (const KnownPlugin& plugin : catalog) {
    if (plugin.name == name) return &plugin;
  }
  return nullptr;
}

PluginCatalog catalog_of(const placement::Registry& registry) {
  PluginCatalog catalog;
  for (const placement::RegisteredPlugin& plugin : registry.plugins()) {
    const placement::PointSet points = plugin.make(nullptr)->points();
    catalog.push_back({plugin.name, points, plugin.unasked, plugin.weight, format_of(plugin.name)});
  }
  return catalog;
}

const PluginCatalog& default_catalog() {
  static const PluginCatalog catalog = catalog_of(placement::Registry::standard());
  return catalog;
}

}  // namespace rescheduler::config
