// What a node's load is taken to be, whatever is known of it: measured and booked, or what its pods ask for, or at
// least what is usual.
#pragma once

#include "cluster/node.h"
#include "cluster/node_load.h"

namespace rescheduler::placement {

// Unknown only for resources of which nothing is ever requested and nothing measured.
cluster::Loads predicted_loads(const cluster::NodeInfo& node, const cluster::LoadSummary& load_summary);

// Of one resource. Requests tell nothing of resources beyond CPU and memory: zero.
double predicted_load(const cluster::NodeInfo& node, std::size_t resource, const cluster::LoadSummary& load_summary);

}  // namespace rescheduler::placement
