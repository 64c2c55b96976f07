#include <map>

#include "config/catalog.h"
#include "config/configuration.h"
#include "config/tables.h"
#include "placement/registry.h"

namespace rescheduler::config {
namespace {

template <class Settings, class Put, class Get>
PluginArgsFormat format(const Table& table, Put put, Get get) {
  return {&table,
          [&table, put](kube::YamlReader& from, Profile& profile) {
            Settings settings;
            read_fields(table, from, &settings);
            put(profile, std::move(settings));
          },
          [&table, get](const Profile& profile, kube::YamlWriter& to) { print_fields(table, get(profile), to); }};
}

template <class Args>
std::pair<const std::string, PluginArgsFormat> kube_plugin(const std::string& name, const Table& table) {
  return {name, format<Args>(
                    table, [name](Profile& profile, Args args) { profile.args[name] = std::move(args); },
                    [name](const Profile& profile) { return profile.args_of<Args>(name); })};
}

template <auto Member>
std::pair<const std::string, PluginArgsFormat> own_plugin(const std::string& name, const Table& table) {
  using Settings = typename std::remove_reference_t<decltype(std::declval<Profile>().*Member)>::value_type;
  return {name, format<Settings>(
                    table, [](Profile& profile, Settings settings) { set_settings(profile, std::move(settings)); },
                    [](const Profile& profile) { return &*(profile.*Member); })};
}

// Only plugins with settings have a format; the result is empty for the others.
PluginArgsFormat format_of(const std::string& plugin) {
  static const std::map<std::string, PluginArgsFormat> formats = {
      kube_plugin<placement::NodeAffinityArgs>("NodeAffinity", node_affinity_table()),
      kube_plugin<placement::NodeResourcesFitArgs>("NodeResourcesFit", node_resources_fit_table()),
      kube_plugin<placement::VolumeBindingArgs>("VolumeBinding", volume_binding_table()),
      kube_plugin<placement::PodTopologySpreadArgs>("PodTopologySpread", pod_topology_spread_table()),
      kube_plugin<placement::InterPodAffinityArgs>("InterPodAffinity", inter_pod_affinity_table()),
      kube_plugin<placement::DynamicResourcesArgs>("DynamicResources", dynamic_resources_table()),
      kube_plugin<placement::DefaultPreemptionArgs>("DefaultPreemption", default_preemption_table()),
      kube_plugin<placement::NodeResourcesBalancedAllocationArgs>("NodeResourcesBalancedAllocation",
                                                                  balanced_allocation_table()),
      own_plugin<&Profile::rescheduler>("Rescheduler", rescheduler_table()),
      own_plugin<&Profile::podrescheduling>("Podrescheduling", podrescheduling_table()),
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
    catalog.push_back({plugin.name, points, plugin.enabled_by_default, plugin.weight, format_of(plugin.name)});
  }
  return catalog;
}

const PluginCatalog& default_catalog() {
  static const PluginCatalog catalog = catalog_of(placement::Registry::standard());
  return catalog;
}

}  // namespace rescheduler::config
