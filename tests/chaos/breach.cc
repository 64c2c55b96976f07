#include "chaos/breach.h"

#include <ostream>

namespace rescheduler::test {

std::string_view to_string(BreachKind kind) {
  switch (kind) {
    case BreachKind::NodeOverflow: return "NodeOverflow";
    case BreachKind::BoundToCordonedNode: return "BoundToCordonedNode";
    case BreachKind::BoundToUnreadyNode: return "BoundToUnreadyNode";
    case BreachKind::BudgetExceeded: return "BudgetExceeded";
    case BreachKind::TooManyReplicasAway: return "TooManyReplicasAway";
    case BreachKind::UnexplainedLoss: return "UnexplainedLoss";
    case BreachKind::UnannouncedEviction: return "UnannouncedEviction";
    case BreachKind::EvictionAnnouncedTwice: return "EvictionAnnouncedTwice";
    case BreachKind::ProtectedPodMoved: return "ProtectedPodMoved";
    case BreachKind::TwoCopies: return "TwoCopies";
    case BreachKind::BarePodLost: return "BarePodLost";
    case BreachKind::BarePodDouble: return "BarePodDouble";
    case BreachKind::TemplateTouched: return "TemplateTouched";
    case BreachKind::LabelLeft: return "LabelLeft";
    case BreachKind::AnnotationLeft: return "AnnotationLeft";
    case BreachKind::BudgetLeft: return "BudgetLeft";
    case BreachKind::GateLeft: return "GateLeft";
    case BreachKind::ReplicasLeft: return "ReplicasLeft";
    case BreachKind::MigrationLeft: return "MigrationLeft";
    case BreachKind::FalseSuccess: return "FalseSuccess";
    case BreachKind::WroteWithoutLease: return "WroteWithoutLease";
    case BreachKind::kCount: break;
  }
  return "";
}

std::ostream& operator<<(std::ostream& out, const Breach& breach) {
  return out << to_string(breach.kind) << ": " << breach.text;
}

}  // namespace rescheduler::test
