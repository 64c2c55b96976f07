// In which order a search that stops early (percentageOfNodesToScore) looks at nodes: kube-scheduler's rule.
#pragma once

#include <vector>

#include "cluster/cluster.h"

namespace rescheduler::scheduler {

// One node of every zone in turn, so that a part of the list has nodes of all zones. A zone is a region and a zone
// label; zones, and the nodes of each, are in the order in which the model holds them.
std::vector<cluster::NodeIndex> zone_interleaved(const cluster::Cluster& cluster);

}  // namespace rescheduler::scheduler
