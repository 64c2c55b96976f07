// When and how what already runs is moved, (`rescheduling` of the plugin Rescheduler, and some keys beside it).
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
  Observe,  // plans are made and published
  Act,      // and carried out
};

// A new one is added here and to kStrategies below; what it does, and what it comes before, in
// rescheduling/strategies/strategies.h.
enum class Strategy : std::uint8_t { LoadBalancing, ResourceOptimization, NodeMaintenance, ConstraintRepair };
inline constexpr std::array kStrategies = {Strategy::LoadBalancing, Strategy::ResourceOptimization,
                                           Strategy::NodeMaintenance, Strategy::ConstraintRepair};
std::string_view to_string(Strategy strategy);
std::optional<Strategy> strategy_named(std::string_view name);
std::vector<std::string_view> strategy_names();
std::string_view to_string(StrategyMode mode);

// Percent of a node. Above `trigger` something is to be done, down to `target`; in between nothing is.
struct LoadBand {
  double trigger = 80;
  double target = 70;
  friend bool operator==(const LoadBand&, const LoadBand&) = default;
};

// A node is hot, or the cluster uneven, when it was so in `needed` of the last `of` looks.
struct Persistence {
  int needed = 3;
  int of = 5;
  friend bool operator==(const Persistence&, const Persistence&) = default;
};

struct LoadBalancingSettings {
  std::map<std::string, LoadBand> bands{};  // by resource; one that is not here: its threshold, and ten less
  Persistence persistence{};
  double deviation_trigger =
      15;  // percentage points of standard deviation between nodes; above it the cluster is uneven
  double deviation_target = 8;
  double least_gain = 1;  // percentage points a move has to take off its node, or it is not worth disturbing the pod
  friend bool operator==(const LoadBalancingSettings&, const LoadBalancingSettings&) = default;
};

struct ResourceOptimizationSettings {
  double stranded_trigger = 15;  // percent of a resource free where another has run out, over all nodes
  double underused = 40;         // a node that is asked for less than this, in everything, may be freed
  double packed_target = 85;     // nodes are filled up to here by requests
  bool free_nodes = false;       // empty whole nodes; only sense with an autoscaler that takes them away
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

struct MaintenanceSettings {
  std::uint32_t nodes_at_once = 1;
  std::chrono::nanoseconds give_up_after =
      std::chrono::hours{1};  // on a pod that cannot be moved: said so, and waited on
  friend bool operator==(const MaintenanceSettings&, const MaintenanceSettings&) = default;
};

struct Protections {
  std::optional<std::int32_t> priority_threshold{};  // pods of this priority and above stay; critical ones always do
  std::chrono::nanoseconds least_age = std::chrono::minutes{5};
  std::uint32_t least_replicas = 2;  // of a workload; a single copy is moved only by make-before-break
  bool local_storage = true;         // pods with emptyDir or hostPath stay
  bool claims = false;               // pods with a persistent volume claim stay; those a node pins always do
  bool bare_pods = true;             // pods of nobody stay
  bool without_budget = false;       // pods no PodDisruptionBudget covers stay
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
  std::chrono::nanoseconds cooldown = std::chrono::minutes{10};  // of a lineage's replica after a move
  std::chrono::nanoseconds memory = std::chrono::hours{6};       // moves are remembered so long, for ping-pong
  std::uint32_t pending_pods = 10;  // percent of all pods; while more wait for a node nothing is moved
  std::uint32_t failing_zone = 55;  // percent of a zone's nodes not ready, as the node controller has it
  std::uint32_t failed_moves = 50;  // percent of the recent moves; above it nothing is moved for a while
  std::uint32_t recent_moves = 10;  // how many of them count, and are needed to judge
  std::chrono::nanoseconds rest = std::chrono::minutes{10};  // after a brake of our own doing
  bool paused = false;
  friend bool operator==(const Brakes&, const Brakes&) = default;
};

// Moves only begin within a window; none: always. Minutes of a day in UTC; a window may go past midnight.
struct TimeWindow {
  std::uint8_t days = 0x7f;  // bit 0 is Monday
  std::uint16_t from = 0;
  std::uint16_t to = 24 * 60;
  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

// Nodes that a label selector picks have their own ways. The first pool that fits counts.
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
  std::map<Strategy, StrategyMode> modes{};  // that differ from enabledStrategies
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

}  // namespace rescheduler::config
