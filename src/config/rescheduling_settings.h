// When and how running pods are moved (`rescheduling` of the plugin Rescheduler, and some keys beside it).
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::config {

enum class StrategyMode : std::uint8_t {
  Off,
  Observe,  // plans are computed and published
  Act,      // plans are also carried out
};

// A new strategy is added here with its name. rescheduling/strategies/strategies.h has its function and the order of
// the strategies.
enum class Strategy : std::uint8_t { LoadBalancing, ResourceOptimization, NodeMaintenance, ConstraintRepair };
inline constexpr std::array<std::string_view, 4> kStrategyNames = {"LoadBalancing", "ResourceOptimization",
                                                                   "NodeMaintenance", "ConstraintRepair"};
inline constexpr auto kStrategies = [] {
  std::array<Strategy, kStrategyNames.size()> all{};
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Strategy>(i);
  return all;
}();
std::string_view to_string(Strategy strategy);
std::optional<Strategy> strategy_named(std::string_view name);
std::vector<std::string_view> strategy_names();
std::string_view to_string(StrategyMode mode);

// Load in percent. A node above `trigger` is brought down to `target`. A load between the two starts nothing.
struct LoadBand {
  double trigger = 80;
  double target = 70;
  friend bool operator==(const LoadBand&, const LoadBand&) = default;
};

// A node is hot, or the cluster unbalanced, when `needed` of the last `of` samples are above the trigger.
struct Persistence {
  int needed = 3;
  int of = 5;
  friend bool operator==(const Persistence&, const Persistence&) = default;
};

struct LoadBalancingSettings {
  std::map<std::string, LoadBand> bands{};  // by resource; default: the threshold, and 10 less
  Persistence persistence{};
  double deviation_trigger =
      15;  // standard deviation between nodes in percentage points; above it the cluster is unbalanced
  double deviation_target = 8;
  double least_gain = 1;  // percentage points; a move that reduces its node less is not worth the disruption
  friend bool operator==(const LoadBalancingSettings&, const LoadBalancingSettings&) = default;
};

struct ResourceOptimizationSettings {
  double stranded_trigger = 15;  // percent of a resource, over all nodes, that is free where the other is exhausted
  double underused = 40;         // percent of allocatable; a node with lower requests in all resources can be emptied
  double packed_target = 85;     // percent of allocatable; nodes are filled up to these requests
  bool free_nodes = false;       // empty whole nodes; useful only with an autoscaler that removes them
  friend bool operator==(const ResourceOptimizationSettings&, const ResourceOptimizationSettings&) = default;
};

struct ConstraintRepairSettings {
  bool node_affinity = true;
  bool taints = true;
  bool pod_anti_affinity = true;
  bool topology_spread = true;
  bool duplicates = true;
  friend bool operator==(const ConstraintRepairSettings&, const ConstraintRepairSettings&) = default;
};

// What a drain does with pods that kubectl drain takes off a node only with a flag.
enum class DrainPolicy : std::uint8_t {
  Leave,  // the pod stays, and the drain does not wait for it
  Evict,  // the pod leaves as other pods do
  Ask,    // the pod stays, and the drain waits until an annotation of the node allows it
};

// By class of pods: cluster::DrainClass.
struct DrainPolicies {
  DrainPolicy excluded_namespaces = DrainPolicy::Ask;
  DrainPolicy critical = DrainPolicy::Ask;
  DrainPolicy do_not_evict = DrainPolicy::Ask;
  DrainPolicy bare_pods = DrainPolicy::Ask;
  DrainPolicy local_storage = DrainPolicy::Ask;
  friend bool operator==(const DrainPolicies&, const DrainPolicies&) = default;
};

struct MaintenanceSettings {
  std::uint32_t nodes_at_once = 1;
  std::chrono::nanoseconds give_up_after =
      std::chrono::hours{1};  // then the event MaintenanceStuck names the blocking pods; the drain still waits
  DrainPolicies pods{};
  friend bool operator==(const MaintenanceSettings&, const MaintenanceSettings&) = default;
};

struct Protections {
  std::optional<std::int32_t> priority_threshold{};  // pods of at least this priority stay; critical pods always do
  std::chrono::nanoseconds least_age = std::chrono::minutes{5};
  std::uint32_t least_replicas = 2;  // pods of workloads with fewer replicas stay, except on nodes under maintenance
  bool local_storage = true;         // pods with emptyDir or hostPath stay
  // Pods with a PersistentVolumeClaim stay, except on nodes under maintenance. Pods with a local volume always stay.
  bool claims = false;
  bool stateful_set_claims = true;  // the same, only for pods of StatefulSets
  bool bare_pods = true;            // bare pods stay
  bool without_budget = false;      // pods without a PodDisruptionBudget stay, except on nodes under maintenance
  friend bool operator==(const Protections&, const Protections&) = default;
};

// 0: no limit.
struct MoveCaps {
  std::uint32_t total = 20;
  std::uint32_t per_node = 4;
  std::uint32_t per_namespace = 10;
  std::uint32_t per_workload = 2;
  friend bool operator==(const MoveCaps&, const MoveCaps&) = default;
};

struct Brakes {
  MoveCaps per_cycle{};
  MoveCaps at_once{.total = 10, .per_node = 2, .per_namespace = 5, .per_workload = 1};
  std::chrono::nanoseconds cooldown = std::chrono::minutes{10};  // of the replacement pod after a move
  std::chrono::nanoseconds memory = std::chrono::hours{6};       // how long moves are recorded, against ping-pong
  std::uint32_t pending_pods = 10;                               // percent of all pods; no moves while more are pending
  std::uint32_t failing_zone = 55;  // percent of the nodes of a zone that are not ready, as in the node controller
  std::uint32_t failed_moves = 50;  // percent of the recent moves; above it no moves for `rest`
  std::uint32_t recent_moves = 10;  // number of latest moves that are counted; with fewer there is no verdict
  std::chrono::nanoseconds rest = std::chrono::minutes{10};  // after failed moves, or moves without effect
  bool paused = false;
  friend bool operator==(const Brakes&, const Brakes&) = default;
};

// Moves start only within a window; without windows always. Minutes of the day in UTC. A window can include midnight.
struct TimeWindow {
  std::uint8_t days = 0x7f;  // bit 0 is Monday
  std::uint16_t from = 0;
  std::uint16_t to = 24 * 60;
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

// Nodes that match the label selector have their own modes and bands. The first pool that matches a node is used.
struct NodePool {
  std::string name{};
  std::string selector{};
  std::map<Strategy, StrategyMode> modes{};
  std::map<std::string, LoadBand> bands{};
  friend bool operator==(const NodePool&, const NodePool&) = default;
};

struct ReschedulingSettings {
  bool enabled = true;  // enableReschedulingController
  std::chrono::nanoseconds interval = std::chrono::seconds{30};
  std::vector<std::string> enabled_strategies{"LoadBalancing", "ResourceOptimization", "NodeMaintenance"};
  std::vector<std::string> excluded_namespaces{"kube-system", "kube-public"};
  std::map<Strategy, StrategyMode> modes{};  // only those that differ from enabledStrategies
  LoadBalancingSettings load_balancing{};
  ResourceOptimizationSettings resource_optimization{};
  ConstraintRepairSettings constraint_repair{};
  MaintenanceSettings maintenance{};
  Protections protections{};
  Brakes brakes{};
  std::vector<TimeWindow> windows{};
  std::vector<NodePool> pools{};
  friend bool operator==(const ReschedulingSettings&, const ReschedulingSettings&) = default;
};

// The mode outside of pools: from `modes`, else act for an enabled strategy. NodeMaintenance needs no entry in
// enabledStrategies: the label on the node is the request.
StrategyMode configured_mode(const ReschedulingSettings& settings, Strategy strategy);

}  // namespace rescheduler::config
