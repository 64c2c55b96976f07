// Which of a ReplicaSet's surplus pods go first.
#pragma once

#include <vector>

#include "sim/controllers/pods/pod_view.h"

namespace rescheduler::sim {

// Sorts so that those to be deleted first come first: not bound; then by phase; not ready; of lower deletion cost;
// with more pods of `related` (active ones of the sets of the same owner) on their node; ready for a shorter, then
// created a shorter time ago - both in powers of two, so that equally old ones go by chance and not by luck of the
// draw at creation; with more restarts in between.
void sort_for_deletion(std::vector<const PodView*>& pods, const std::vector<const PodView*>& related, WallTime now);

}  // namespace rescheduler::sim
