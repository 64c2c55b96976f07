// Does a node have what a pod's node selector and required node affinity ask for?
#pragma once

#include "cluster/cluster.h"

namespace rescheduler::placement {

bool matches_node_affinity(const cluster::NodeNeeds& needs, const cluster::Node& node, const cluster::Symbols& symbols);

}  // namespace rescheduler::placement
