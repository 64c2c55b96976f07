// Every plugin of this folder. A new one: its file, its line here, its line in ../registry.cc.
#pragma once

#include <memory>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

using PluginPtr = std::unique_ptr<Plugin>;

PluginPtr make_scheduling_gates(const PluginArgs* args);
PluginPtr make_priority_sort(const PluginArgs* args);
PluginPtr make_node_unschedulable(const PluginArgs* args);
PluginPtr make_node_name(const PluginArgs* args);
PluginPtr make_taint_toleration(const PluginArgs* args);
PluginPtr make_node_affinity(const PluginArgs* args);
PluginPtr make_node_ports(const PluginArgs* args);
PluginPtr make_node_resources_fit(const PluginArgs* args);
PluginPtr make_volume_restrictions(const PluginArgs* args);
PluginPtr make_node_volume_limits(const PluginArgs* args);
PluginPtr make_volume_binding(const PluginArgs* args);
PluginPtr make_volume_zone(const PluginArgs* args);
PluginPtr make_pod_topology_spread(const PluginArgs* args);
PluginPtr make_inter_pod_affinity(const PluginArgs* args);
PluginPtr make_dynamic_resources(const PluginArgs* args);
PluginPtr make_default_preemption(const PluginArgs* args);
PluginPtr make_balanced_allocation(const PluginArgs* args);
PluginPtr make_image_locality(const PluginArgs* args);
PluginPtr make_default_binder(const PluginArgs* args);
PluginPtr make_node_declared_features(const PluginArgs* args);
PluginPtr make_rescheduler(const PluginArgs* args);
PluginPtr make_podrescheduling(const PluginArgs* args);

// The settings given, or the defaults.
template <class Args>
Args args_or_default(const PluginArgs* args) {
  return args == nullptr ? Args{} : static_cast<const Args&>(*args);
}

}  // namespace rescheduler::placement
