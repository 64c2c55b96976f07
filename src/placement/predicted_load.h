// The predicted load of a node: measured load plus reservations; otherwise requests; at least the mean of the nodes.
#pragma once

#include "cluster/node.h"
#include "cluster/node_load.h"

namespace rescheduler::placement {

// Unknown only for resources that cannot be requested and are not measured.
cluster::Loads predicted_loads(const cluster::NodeInfo& node, const cluster::LoadSummary& load_summary);

// Of one resource. There are no requests for resources besides CPU and memory: zero.
double predicted_load(const cluster::NodeInfo& node, std::size_t resource, const cluster::LoadSummary& load_summary);

}  // namespace rescheduler::placement
