#include "placement/registry.h"

#include <algorithm>

#include "placement/plugins/plugins.h"
#include "placement/profile.h"

namespace rescheduler::placement {

const Registry::Factory* Registry::find(std::string_view name) const {
  const auto found = std::ranges::find(entries_, name, &Entry::name);
  return found == entries_.end() ? nullptr : &found->factory;
}

const Registry& Registry::standard() {
  static const Registry registry = [] {
    Registry all;
    all.add("SchedulingGates", make_scheduling_gates);
    all.add("PrioritySort", make_priority_sort);
    all.add("NodeUnschedulable", make_node_unschedulable);
    all.add("NodeName", make_node_name);
    all.add("TaintToleration", make_taint_toleration);
    all.add("NodeAffinity", make_node_affinity);
    all.add("NodePorts", make_node_ports);
    all.add("NodeResourcesFit", make_node_resources_fit);
    all.add("VolumeRestrictions", make_volume_restrictions);
    all.add("NodeVolumeLimits", make_node_volume_limits);
    all.add("VolumeBinding", make_volume_binding);
    all.add("VolumeZone", make_volume_zone);
    all.add("PodTopologySpread", make_pod_topology_spread);
    all.add("InterPodAffinity", make_inter_pod_affinity);
    all.add("DynamicResources", make_dynamic_resources);
    all.add("DefaultPreemption", make_default_preemption);
    all.add("NodeResourcesBalancedAllocation", make_balanced_allocation);
    all.add("ImageLocality", make_image_locality);
    all.add("DefaultBinder", make_default_binder);
    all.add("NodeDeclaredFeatures", make_node_declared_features);
    all.add("Rescheduler", make_rescheduler);
    all.add("Podrescheduling", make_podrescheduling);
    return all;
  }();
  return registry;
}

}  // namespace rescheduler::placement
