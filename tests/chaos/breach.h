// What must never happen, as far as the API server's history can tell. Each kind is provoked once by the judge's own
// test: history_checker_test.cc walks this list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

namespace rescheduler::test {

enum class BreachKind : std::uint8_t {
  NodeOverflow,         // requests of the pods on a node exceed its allocatable
  BoundToCordonedNode,  // though it was cordoned long enough for the scheduler to know
  BoundToUnreadyNode,
  BudgetExceeded,          // a PodDisruptionBudget has fewer healthy pods than it asks for, by our doing
  TooManyReplicasAway,     // of a workload that nobody but us has touched
  UnexplainedLoss,         // such a workload loses a ready pod and no move says why
  UnannouncedEviction,     // no Migration said before that it would evict this pod
  EvictionAnnouncedTwice,  // more than one did
  ProtectedPodMoved,
  TwoCopies,      // of what may live once only
  BarePodLost,    // neither the pod nor its copy is there at the end
  BarePodDouble,  // both are
  TemplateTouched,
  LabelLeft,  // LabelLeft to MigrationLeft: at the end, when every move is over
  AnnotationLeft,
  BudgetLeft,
  GateLeft,
  ReplicasLeft,   // a workload has another number of replicas than its user gave it
  MigrationLeft,  // a Migration has not ended
  FalseSuccess,   // Succeeded, and no ready pod is where it says
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
