// The settings of the Rescheduler plugin: placing by real load, and when to move what already runs.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "cluster/balance.h"
#include "cluster/load_settings.h"
#include "placement/args.h"
#include "placement/dashboard_settings.h"
#include "placement/moving_settings.h"
#include "placement/rescheduling_settings.h"

namespace rescheduler::placement {

// Of its scores, where a configuration gives none: the plugins that look at requests weigh 2 together, those that look
// at the pod's wishes up to 3 each, and none of them outvotes it. docs/benchmarks.md compares it with 1.
inline constexpr int kReschedulerWeight = 5;

struct ReschedulerArgs final : PluginArgs {
  double cpu_threshold = 80;     // percent of a node in use; above it a node takes no new pods
  double memory_threshold = 80;  // likewise
  bool enable_scheduling_optimization = true;
  bool enable_preventive_rescheduling = true;
  double cpu_score_weight = 0.6;  // 0 to 1
  double memory_score_weight = 0.4;
  cluster::BalanceWeights balance_weights() const { return {cpu_score_weight, memory_score_weight}; }
  double load_balance_bonus = 10;  // points of 100
  bool enable_rescheduling_controller = true;
  std::chrono::nanoseconds rescheduling_interval = std::chrono::seconds{30};
  std::vector<std::string> enabled_strategies{"LoadBalancing", "ResourceOptimization", "NodeMaintenance"};
  std::vector<std::string> excluded_namespaces{"kube-system", "kube-public"};
  cluster::LoadSettings load{};  // our own, as the next; the guides have nothing like them
  ReschedulingSettings rescheduling{};
  MovingSettings moving{};
  DashboardSettings dashboard{};
};

}  // namespace rescheduler::placement
