// What is different between two states of a node, as far as waiting pods may care.
#pragma once

#include "cluster/cluster_event.h"

namespace rescheduler::cluster {

ActionTypes changes_between(const Node& before, const Node& after);

// Of a placed pod: labels, and requests that grew or shrank.
ActionTypes changes_between(const AssignedPod& before, const AssignedPod& after);

}  // namespace rescheduler::cluster
