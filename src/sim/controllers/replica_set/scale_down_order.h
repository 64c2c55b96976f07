// The order in which surplus pods of a ReplicaSet are deleted.
#pragma once

#include <vector>

#include "sim/controllers/pods/pod_view.h"

namespace rescheduler::sim {

// Sorts pods; the first pod is deleted first. Pods come earlier in this order:
// 1. not bound; then by phase; then not ready; then lower deletion cost
// 2. more pods of `related` on their node (active pods of the sets with the same owner)
// 3. ready for a shorter time
// 4. more restarts
// 5. created a shorter time ago
// Both times are compared in powers of two. Among pods of about the same age the order is random, not the order of
// creation.
void sort_for_deletion(std::vector<const PodView*>& pods, const std::vector<const PodView*>& related, WallTime now);

}  // namespace rescheduler::sim
