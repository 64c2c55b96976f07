// Who may be moved, and who stays and why.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "rescheduling/planning/make_plan.h"
#include "rescheduling/planning/plan.h"
#include "rescheduling/planning/pod_inventory.h"
#include "rescheduling/planning/snapshot.h"

namespace rescheduler::rescheduling {

// Pods of this priority and above are Kubernetes' own and critical.
inline constexpr std::int32_t kCriticalPriority = 2'000'000'000;

enum class Purpose : std::uint8_t {
  Improve,  // things are well and could be better
  Empty,    // the node is to be empty: how old or how alone a pod is does not keep it
};

// Why a pod stays. `code` is one of the words below, for metrics and for counting.
struct MoveBlocker {
  std::string_view code{};
  std::string reason{};  // one sentence
};

namespace why {
inline constexpr std::string_view kMirror = "static-pod";
inline constexpr std::string_view kDaemon = "daemonset";
inline constexpr std::string_view kJob = "job";
inline constexpr std::string_view kTerminating = "terminating";
inline constexpr std::string_view kNotRunning = "not-running";
inline constexpr std::string_view kNotReady = "not-ready";
inline constexpr std::string_view kNamespace = "excluded-namespace";
inline constexpr std::string_view kOptOut = "opt-out";
inline constexpr std::string_view kCritical = "critical";
inline constexpr std::string_view kPriority = "priority";
inline constexpr std::string_view kBare = "bare-pod";
inline constexpr std::string_view kLocalStorage = "local-storage";
inline constexpr std::string_view kClaim = "volume-claim";
inline constexpr std::string_view kPinned = "pinned-volume";
inline constexpr std::string_view kResourceClaim = "resource-claim";
inline constexpr std::string_view kUnreadable = "unreadable";
inline constexpr std::string_view kYoung = "too-young";
inline constexpr std::string_view kFewReplicas = "too-few-replicas";
inline constexpr std::string_view kDegraded = "workload-degraded";
inline constexpr std::string_view kNoBudget = "without-budget";
inline constexpr std::string_view kBudget = "budget-exhausted";
inline constexpr std::string_view kBudgets = "several-budgets";
inline constexpr std::string_view kHeld = "held";
inline constexpr std::string_view kNoTarget = "no-target";
inline constexpr std::string_view kCaps = "cap-reached";
inline constexpr std::string_view kNoOrder = "no-order";
}  // namespace why

// Holds for one plan: world, census and request must outlive it and stay as they are.
class Movable {
 public:
  Movable(const Snapshot& snapshot, const PodInventory& inventory, const PlanRequest& request);

  // Nothing: it may be moved.
  std::optional<MoveBlocker> why_not_movable(cluster::PodIndex pod, Purpose purpose) const;
  // Does it not lead its workload back to where it came from lately?
  bool may_go(cluster::PodIndex pod, const std::string& from, const std::string& to) const;

 private:
  std::optional<MoveBlocker> by_its_nature(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_its_state(cluster::PodIndex pod, Purpose purpose) const;
  std::optional<MoveBlocker> by_opt_out(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_its_storage(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_its_workload(cluster::PodIndex pod, Purpose purpose) const;
  std::optional<MoveBlocker> by_its_budget(cluster::PodIndex pod) const;
  std::optional<std::string> pinned_by(cluster::PodIndex pod) const;

  const Snapshot& snapshot_;
  const PodInventory& inventory_;
  const PlanRequest& request_;
  const config::Protections& rules_;
  std::set<cluster::Symbol> excluded_;
};

}  // namespace rescheduler::rescheduling
