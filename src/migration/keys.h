// What a move writes on objects that are not its own, so that whoever finds it knows whose it is.
#pragma once

#include <string_view>

namespace rescheduler::migration {

// A label on everything a move has touched; its value is the Migration's name.
inline constexpr std::string_view kMigrationLabel = "rescheduler.io/migration";
// On the workload's own metadata, never on its template: who is to come where. Says also by how much the workload was
// scaled up, so that it can be undone by somebody who knows nothing else.
inline constexpr std::string_view kIntentAnnotation = "scheduler.alpha.kubernetes.io/rescheduling-intent";
inline constexpr std::string_view kDeletionCost = "controller.kubernetes.io/pod-deletion-cost";
// What the deletion cost was before; empty: there was none.
inline constexpr std::string_view kCostBefore = "rescheduler.io/deletion-cost-before";
inline constexpr std::string_view kLowestCost = "-2147483648";
// Holds a copy back until it is said where it goes.
inline constexpr std::string_view kGate = "rescheduler.io/target";
// On a copy: the uid of the pod it is a copy of.
inline constexpr std::string_view kCopyOf = "rescheduler.io/copy-of";

inline constexpr std::string_view kManual = "Manual";  // strategy of a move somebody asked for

}  // namespace rescheduler::migration
