// The predicted load of a node:
//   the node has a fresh sample  the measured load plus reservations
//   no fresh sample of the node  its requests, but at least the mean of the measured nodes plus reservations
//   LoadBasis is not Usage       its requests
#pragma once

#include "cluster/node.h"
#include "cluster/node_load.h"

namespace rescheduler::placement {

// Unknown only for resources that cannot be requested and are not measured.
cluster::Loads predicted_loads(const cluster::NodeInfo& node, const cluster::LoadSummary& load_summary);

// Of one resource. The measured resources besides CPU and memory have no requests: these count as zero.
double predicted_load(const cluster::NodeInfo& node, std::size_t resource, const cluster::LoadSummary& load_summary);

}  // namespace rescheduler::placement
