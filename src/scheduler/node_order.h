// The order in which a search that stops early (percentageOfNodesToScore) visits nodes: kube-scheduler's rule.
#pragma once

#include <vector>

#include "cluster/cluster.h"

namespace rescheduler::scheduler {

// Takes one node of each zone in turn, so that any part of the list has nodes of all zones. A zone is the pair of
// region label and zone label. Zones, and the nodes of a zone, keep the order of the cluster model.
std::vector<cluster::NodeIndex> zone_interleaved(const cluster::Cluster& cluster);

}  // namespace rescheduler::scheduler
