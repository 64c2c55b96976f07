// Does a node match a pod's node selector and required node affinity?
#pragma once

#include "cluster/cluster.h"

namespace rescheduler::placement {

bool matches_node_affinity(const cluster::NodeRequirements& requirements,
                           const cluster::Node& node,
                           const cluster::SymbolTable& symbols);

}  // namespace rescheduler::placement
