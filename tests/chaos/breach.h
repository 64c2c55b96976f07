// The invariants that the API server's history can prove broken. history_checker_test.cc provokes each kind once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace rescheduler::test {

enum class BreachKind : std::uint8_t {
  NodeOverflow,         // requests of the pods on a node exceed its allocatable
  BoundToCordonedNode,  // although the scheduler had time to see the cordon
  BoundToUnreadyNode,
  BudgetExceeded,          // after a move, a PodDisruptionBudget has fewer healthy pods than it requires
  TooManyReplicasAway,     // of a workload that no injected fault has disturbed
  UnexplainedLoss,         // such a workload loses a ready pod and no Migration explains the loss
  UnannouncedEviction,     // no Migration announced that it would evict this pod
  EvictionAnnouncedTwice,  // more than one Migration announced the eviction
  ProtectedPodMoved,
  TwoCopies,      // of a pod that must exist only once
  BarePodLost,    // at the end neither the pod nor its copy exists
  BarePodDouble,  // at the end both exist
  TemplateTouched,
  LabelLeft,  // LabelLeft to MigrationLeft are checked at the end, when every move has ended
  AnnotationLeft,
  BudgetLeft,
  GateLeft,
  ReplicasLeft,   // the number of replicas of a workload is not the number that its user set
  MigrationLeft,  // a Migration has not ended
  FalseSuccess,   // the phase is Succeeded, but no ready pod is on the target node
  WroteWithoutLease,
  kCount,
};
inline constexpr std::size_t kBreachKinds = static_cast<std::size_t>(BreachKind::kCount);

std::string_view to_string(BreachKind kind);

struct Breach {
  BreachKind kind = BreachKind::kCount;
  std::string text{};  // one sentence
};
std::ostream& operator<<(std::ostream& out, const Breach& breach);

}  // namespace rescheduler::test
