// Decides which pods can be moved, and why the other pods stay.
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

// Pods with at least this priority are critical pods of Kubernetes itself.
inline constexpr std::int32_t kCriticalPriority = 2'000'000'000;

enum class Purpose : std::uint8_t {
  Improve,  // the cluster works and can be improved
  Empty,    // the node must become empty: pods leave too that would stay only because a move costs something
};

// Why a pod stays. `code` is one of the constants below; metrics use it as a label.
struct MoveBlocker {
  std::string_view code{};
  std::string reason{};  // one sentence
  bool left = false;     // a drain leaves the pod on its node, and does not wait for it
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
inline constexpr std::string_view kDoNotEvict = "do-not-evict";
inline constexpr std::string_view kCritical = "critical";
inline constexpr std::string_view kPriority = "priority";
inline constexpr std::string_view kBare = "bare-pod";
inline constexpr std::string_view kLocalStorage = "local-storage";
inline constexpr std::string_view kClaim = "volume-claim";
inline constexpr std::string_view kStatefulSetClaim = "stateful-set-claim";
inline constexpr std::string_view kPinned = "pinned-volume";
inline constexpr std::string_view kResourceClaim = "resource-claim";
inline constexpr std::string_view kUnreadable = "unreadable";
inline constexpr std::string_view kYoung = "too-young";
inline constexpr std::string_view kFewReplicas = "too-few-replicas";
inline constexpr std::string_view kDegraded = "workload-degraded";
inline constexpr std::string_view kNoBudget = "without-budget";
inline constexpr std::string_view kBudget = "budget-exhausted";
inline constexpr std::string_view kBudgets = "several-budgets";
inline constexpr std::string_view kUnsteered = "unsteered";
inline constexpr std::string_view kHeld = "held";
inline constexpr std::string_view kNoTarget = "no-target";
inline constexpr std::string_view kCaps = "cap-reached";
inline constexpr std::string_view kNoOrder = "no-order";
}  // namespace why

// Valid for one plan. The snapshot, the inventory and the request must outlive the object and must not change.
class Movable {
 public:
  Movable(const Snapshot& snapshot, const PodInventory& inventory, const PlanRequest& request);

  // Empty if the pod can be moved.
  std::optional<MoveBlocker> why_not_movable(cluster::PodIndex pod, Purpose purpose) const;
  // False if the move returns the workload to a node that it left recently.
  bool may_go(cluster::PodIndex pod, const std::string& from, const std::string& to) const;

 private:
  std::optional<MoveBlocker> by_its_nature(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_its_phase(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_opt_out(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_its_classes(cluster::PodIndex pod, Purpose purpose) const;
  std::optional<MoveBlocker> in_class(cluster::DrainClass which, cluster::PodIndex pod, Purpose purpose) const;
  std::optional<MoveBlocker> by_its_priority(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_eviction_marks(cluster::PodIndex pod, Purpose purpose) const;
  std::optional<MoveBlocker> by_its_readiness(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_its_storage(cluster::PodIndex pod, Purpose purpose) const;
  std::optional<MoveBlocker> by_its_workload(cluster::PodIndex pod, Purpose purpose) const;
  std::optional<MoveBlocker> by_its_scheduler(cluster::PodIndex pod, Purpose purpose) const;
  bool could_return(cluster::PodIndex pod) const;
  std::optional<MoveBlocker> by_its_budget(cluster::PodIndex pod, Purpose purpose) const;
  std::optional<std::string> pinned_by(cluster::PodIndex pod) const;
  WallTime start_of(cluster::PodIndex pod) const;

  const Snapshot& snapshot_;
  const PodInventory& inventory_;
  const PlanRequest& request_;
  const config::Protections& rules_;
  std::set<cluster::Symbol> excluded_;
};

}  // namespace rescheduler::rescheduling
