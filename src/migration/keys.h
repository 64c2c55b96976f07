// Labels and annotations that a migration writes on other objects, so that the Migration of each change is known.
#pragma once

#include <string_view>

namespace rescheduler::migration {

// Label on every object that a migration changes; the value is the name of the Migration.
inline constexpr std::string_view kMigrationLabel = "rescheduler.io/migration";
// On the metadata of the workload, never on its pod template: the pod, its target node and the node to avoid. It also
// records by how much the workload is scaled up, so that the sweeper can undo the surge from the annotation alone.
inline constexpr std::string_view kIntentAnnotation = "scheduler.alpha.kubernetes.io/rescheduling-intent";
inline constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
// The pod-deletion-cost before the migration; empty: there was none.
inline constexpr std::string_view kCostBefore = "rescheduler.io/deletion-cost-before";
inline constexpr std::string_view kLowestCost = "-2147483648";
// Scheduling gate that holds back a copy until its node is set.
inline constexpr std::string_view kGate = "rescheduler.io/target";
// On a copy: the UID of the original pod.
inline constexpr std::string_view kCopyOf = "rescheduler.io/copy-of";

inline constexpr std::string_view kManual = "Manual";  // strategy of a move that a user requested

}  // namespace rescheduler::migration
