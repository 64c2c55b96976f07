#include "placement/rescheduler_args.h"
#include "scheduler/config/catalog.h"
#include "scheduler/config/default_args.h"
#include "scheduler/config/podrescheduling_args.h"
#include "scheduler/config/rescheduler_args.h"

namespace rescheduler::scheduler {
namespace {

using placement::PointSet;
using enum placement::Point;

KnownPlugin unasked(std::string name, PointSet points, int weight = 1, PluginArgsFormat args = {}) {
  return {std::move(name), points, true, weight, std::move(args)};
}

KnownPlugin on_request(std::string name, PointSet points, PluginArgsFormat args = {}, int weight = 1) {
  return {std::move(name), points, false, weight, std::move(args)};
}

}  // namespace

const KnownPlugin* find_plugin(const PluginCatalog& catalog, std::string_view name) {
  for (const KnownPlugin& plugin : catalog) {
    if (plugin.name == name) return &plugin;
  }
  return nullptr;
}

PluginCatalog default_catalog() {
  return {
      unasked("SchedulingGates", {PreEnqueue}),
      unasked("PrioritySort", {QueueSort}),
      unasked("NodeUnschedulable", {Filter}),
      unasked("NodeName", {Filter}),
      unasked("TaintToleration", {Filter, PreScore, Score}, 3),
      unasked("NodeAffinity", {PreFilter, Filter, PreScore, Score}, 2, node_affinity_format()),
      unasked("NodePorts", {PreFilter, Filter}),
      unasked("NodeResourcesFit", {PreFilter, Filter, PreScore, Score}, 1, node_resources_fit_format()),
      unasked("VolumeRestrictions", {PreFilter, Filter}),
      unasked("NodeVolumeLimits", {PreFilter, Filter}),
      unasked("VolumeBinding", {PreFilter, Filter, PreScore, Score, Reserve, PreBind}, 1, volume_binding_format()),
      unasked("VolumeZone", {PreFilter, Filter}),
      unasked("PodTopologySpread", {PreFilter, Filter, PreScore, Score}, 2, pod_topology_spread_format()),
      unasked("InterPodAffinity", {PreFilter, Filter, PreScore, Score}, 2, inter_pod_affinity_format()),
      unasked("DynamicResources", {PreEnqueue, PreFilter, Filter, PostFilter, Score, Reserve, PreBind}, 2,
              dynamic_resources_format()),
      unasked("DefaultPreemption", {PreEnqueue, PostFilter}, 1, default_preemption_format()),
      unasked("NodeResourcesBalancedAllocation", {PreScore, Score}, 1, balanced_allocation_format()),
      unasked("ImageLocality", {Score}),
      unasked("DefaultBinder", {Bind}),
      unasked("NodeDeclaredFeatures", {PreFilter, Filter}),
      on_request("Rescheduler", {Filter, Score, Reserve, PreBind}, rescheduler_format(), placement::kReschedulerWeight),
      on_request("Podrescheduling", {PreFilter, Filter}, podrescheduling_format()),
  };
}

}  // namespace rescheduler::scheduler
