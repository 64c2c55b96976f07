// A plan: the moves in order with their reasons, the expected result, and the pods and targets that were refused. The
// controller, `rescheduler plan`, the API and the dashboard share this type.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "cluster/balance.h"
#include "config/rescheduling_settings.h"
#include "migration/migrator.h"

namespace rescheduler::rescheduling {

// Whether the PodDisruptionBudgets allow one more pod to be unavailable.
enum class BudgetVerdict : std::uint8_t {
  NoBudget,
  Allowed,
  Exhausted,  // not now
  Several,    // two budgets cover the pod: the Eviction API always refuses such a pod
};
std::string_view to_string(BudgetVerdict verdict);

struct RefusedTarget {
  std::string node{};
  std::string why{};
};

struct PlannedMove {
  std::string ns{};
  std::string pod{};
  std::string uid{};
  migration::Lineage lineage{};
  std::string source{};
  std::string target{};
  config::Strategy strategy{};
  std::string reason{};     // one sentence with numbers
  double gain = 0;          // points of the balance score
  std::uint32_t step = 1;   // moves of one step can run together, after all earlier steps
  bool detour = false;      // the pod moves again in a later step
  bool autoscaled = false;  // a HorizontalPodAutoscaler sets the number of replicas
  BudgetVerdict budget = BudgetVerdict::NoBudget;
  std::vector<RefusedTarget> refused{};
};

// A pod that was considered and stays. `code` is the metric's label: "opt-out", "budget-exhausted", "no-target", ...
struct UnmovedPod {
  std::string ns{};
  std::string pod{};
  std::string node{};
  std::string code{};
  std::string reason{};
  bool left = false;  // a drain leaves the pod on its node, and does not wait for it
};

// Shares of allocatable; NaN where nothing is known.
struct NodeUtilization {
  std::string name{};
  double cpu = 0;  // predicted load if load is measured, else requests
  double memory = 0;
  double cpu_requested = 0;
  double memory_requested = 0;
  std::uint32_t pods = 0;
};

struct BalanceReport {
  cluster::Balance balance{};  // of the nodes whose load is known and can be changed
  std::vector<NodeUtilization> nodes{};
};

struct Plan {
  std::string id{};
  WallTime made{};
  std::string judged_by{};  // the source of the load: "prometheus", "requests", ...
  std::vector<PlannedMove> moves{};
  std::vector<UnmovedPod> refused{};
  std::vector<std::string> notes{};  // brakes, strategies that are off, nodes that are skipped
  BalanceReport before{};
  BalanceReport after{};
};

}  // namespace rescheduler::rescheduling
