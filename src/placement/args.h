// The settings of the default plugins, with kube-scheduler's defaults. A plugin of another kind derives its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace rescheduler::api {
class NodeAffinity;
class TopologySpreadConstraint;
}  // namespace rescheduler::api

namespace rescheduler::placement {

struct PluginArgs {
  virtual ~PluginArgs() = default;
};

struct DefaultPreemptionArgs final : PluginArgs {
  int min_candidate_nodes_percentage = 10;
  int min_candidate_nodes_absolute = 100;
};

struct InterPodAffinityArgs final : PluginArgs {
  int hard_pod_affinity_weight = 1;
  bool ignore_preferred_terms_of_existing_pods = false;
};

struct ResourceWeight {
  std::string name;
  std::int64_t weight = 1;
};

struct UtilizationShapePoint {
  int utilization = 0;  // percent
  int score = 0;        // 0 to 10
};

enum class ScoringStrategy { LeastAllocated, MostAllocated, RequestedToCapacityRatio };

struct NodeResourcesFitArgs final : PluginArgs {
  std::vector<std::string> ignored_resources{};
  std::vector<std::string> ignored_resource_groups{};
  ScoringStrategy strategy = ScoringStrategy::LeastAllocated;
  std::vector<ResourceWeight> resources{{"cpu", 1}, {"memory", 1}};
  std::vector<UtilizationShapePoint> shape{};  // of RequestedToCapacityRatio
};

struct NodeResourcesBalancedAllocationArgs final : PluginArgs {
  std::vector<ResourceWeight> resources{{"cpu", 1}, {"memory", 1}};
};

enum class SpreadDefaulting { System, List };

struct PodTopologySpreadArgs final : PluginArgs {
  SpreadDefaulting defaulting = SpreadDefaulting::System;
  std::vector<std::shared_ptr<const api::TopologySpreadConstraint>> default_constraints{};
};

struct VolumeBindingArgs final : PluginArgs {
  std::chrono::seconds bind_timeout{600};
};

struct NodeAffinityArgs final : PluginArgs {
  std::shared_ptr<const api::NodeAffinity> added_affinity{};  // null: none
};

struct DynamicResourcesArgs final : PluginArgs {
  std::chrono::nanoseconds filter_timeout = std::chrono::seconds{10};
};

}  // namespace rescheduler::placement
