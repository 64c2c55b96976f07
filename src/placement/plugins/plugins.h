// Every plugin of this folder. A new plugin needs its file, and here its declaration and its row.
#pragma once

#include <memory>

#include "placement/args.h"
#include "placement/plugin.h"
#include "placement/registry.h"

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

// The plugins of kube-scheduler 1.36 in its order, then our own, which a profile must enable.
inline std::vector<RegisteredPlugin> all_plugins() {
  return {
      {"SchedulingGates", make_scheduling_gates},
      {"PrioritySort", make_priority_sort},
      {"NodeUnschedulable", make_node_unschedulable},
      {"NodeName", make_node_name},
      {"TaintToleration", make_taint_toleration, 3},
      {"NodeAffinity", make_node_affinity, 2},
      {"NodePorts", make_node_ports},
      {"NodeResourcesFit", make_node_resources_fit},
      {"VolumeRestrictions", make_volume_restrictions},
      {"NodeVolumeLimits", make_node_volume_limits},
      {"VolumeBinding", make_volume_binding},
      {"VolumeZone", make_volume_zone},
      {"PodTopologySpread", make_pod_topology_spread, 2},
      {"InterPodAffinity", make_inter_pod_affinity, 2},
      {"DynamicResources", make_dynamic_resources, 2},
      {"DefaultPreemption", make_default_preemption},
      {"NodeResourcesBalancedAllocation", make_balanced_allocation},
      {"ImageLocality", make_image_locality},
      {"DefaultBinder", make_default_binder},
      {"NodeDeclaredFeatures", make_node_declared_features},
      {"Rescheduler", make_rescheduler, kReschedulerWeight, false},
      {"Podrescheduling", make_podrescheduling, 1, false},
  };
}

// The given arguments, or the defaults.
template <class Args>
Args args_or_default(const PluginArgs* args) {
  const Args* given = args == nullptr ? nullptr : std::get_if<Args>(args);
  return given == nullptr ? Args{} : *given;
}

}  // namespace rescheduler::placement
