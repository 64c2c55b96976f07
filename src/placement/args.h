// The arguments of plugins: those of kube-scheduler with its defaults, then our own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "cluster/balance.h"
#include "cluster/load_settings.h"

namespace rescheduler::api {
class NodeAffinity;
class TopologySpreadConstraint;
}  // namespace rescheduler::api

namespace rescheduler::placement {

struct DefaultPreemptionArgs {
  int min_candidate_nodes_percentage = 10;
  int min_candidate_nodes_absolute = 100;
};

struct InterPodAffinityArgs {
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

struct NodeResourcesFitArgs {
  std::vector<std::string> ignored_resources{};
  std::vector<std::string> ignored_resource_groups{};
  ScoringStrategy strategy = ScoringStrategy::LeastAllocated;
  std::vector<ResourceWeight> resources{{"cpu", 1}, {"memory", 1}};
  std::vector<UtilizationShapePoint> shape{};  // for RequestedToCapacityRatio
};

struct NodeResourcesBalancedAllocationArgs {
  std::vector<ResourceWeight> resources{{"cpu", 1}, {"memory", 1}};
};

enum class SpreadDefaulting { System, List };

struct PodTopologySpreadArgs {
  SpreadDefaulting defaulting = SpreadDefaulting::System;
  std::vector<std::shared_ptr<const api::TopologySpreadConstraint>> default_constraints{};
};

struct VolumeBindingArgs {
  std::chrono::seconds bind_timeout{600};
};

struct NodeAffinityArgs {
  std::shared_ptr<const api::NodeAffinity> added_affinity{};  // null: no added affinity
};

struct DynamicResourcesArgs {
  std::chrono::nanoseconds filter_timeout = std::chrono::seconds{10};
};

// The default weight of Rescheduler's score. The plugins that score requests have a weight of 2 together, and those
// that score the pod's preferences up to 3 each. So none of them outweighs Rescheduler. docs/benchmarks.md compares it
// with 1.
inline constexpr int kReschedulerWeight = 5;

struct ReschedulerArgs {
  double cpu_threshold = 80;     // percent of the node in use; above it the node gets no new pods
  double memory_threshold = 80;  // the same for memory
  // Some pods are rather placed on a node above a threshold than left pending: those that exist for this time, and
  // those with at least this priority. The default priority is that of system-critical pods.
  std::chrono::nanoseconds load_filter_wait = std::chrono::minutes{1};
  std::int32_t load_filter_priority = 2'000'000'000;
  bool enable_scheduling_optimization = true;
  bool enable_preventive_rescheduling = true;
  double cpu_score_weight = 0.6;  // 0 to 1
  double memory_score_weight = 0.4;
  double load_balance_bonus = 10;                       // points of 100
  std::vector<cluster::LoadResource> load_resources{};  // besides CPU and memory
  cluster::BalanceWeights balance_weights() const { return {cpu_score_weight, memory_score_weight}; }
};

struct PodreschedulingArgs {
  bool hard = false;  // true: the pod stays pending rather than return to a node where it failed
};

using PluginArgs = std::variant<std::monostate,
                                DefaultPreemptionArgs,
                                DynamicResourcesArgs,
                                InterPodAffinityArgs,
                                NodeAffinityArgs,
                                NodeResourcesBalancedAllocationArgs,
                                NodeResourcesFitArgs,
                                PodTopologySpreadArgs,
                                PodreschedulingArgs,
                                ReschedulerArgs,
                                VolumeBindingArgs>;

}  // namespace rescheduler::placement
