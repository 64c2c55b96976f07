// The differences between two states of a node or a pod that can matter to waiting pods.
#pragma once

#include "cluster/cluster_event.h"

namespace rescheduler::cluster {

ActionTypes changes_between(const Node& before, const Node& after);

// Of an assigned pod: changed labels, and requests that grew or shrank.
ActionTypes changes_between(const AssignedPod& before, const AssignedPod& after);

}  // namespace rescheduler::cluster
