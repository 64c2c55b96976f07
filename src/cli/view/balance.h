// How evenly load is spread over the nodes: one number for people to watch.
//
// Of each resource, take the standard deviation of the nodes' use (as a share of their capacity) and divide it by the
// largest it could be at the same mean: sqrt(m (1 - m)), when some nodes were full and all others empty. The score is
// 100 times one minus the mean of that over CPU and memory. 100: every node is equally loaded; 0: it could not be
// worse. Nodes that are cordoned or not ready are left out: nobody can do anything about them.
#pragma once

#include <vector>

#include "cli/view/view_state.h"

namespace rescheduler::cli {

double balance_score(const std::vector<NodeState>& nodes);

}  // namespace rescheduler::cli
