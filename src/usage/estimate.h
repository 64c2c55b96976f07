// What a pod will add to a node's load, before anybody has measured it.
#pragma once

#include <cstdint>

#include "cluster/node.h"
#include "cluster/node_load.h"
#include "cluster/node_needs.h"

namespace rescheduler::usage {

// For pods that do not say. A guess, but nothing would be a worse one: a burst of such pods would all go to the node
// that is idlest at the moment.
struct EstimateSettings {
  std::int64_t cpu = 250;  // thousandths of a core
  std::int64_t memory = std::int64_t{200} * 1024 * 1024;
};

// As shares of the node's allocatable: what the pod requests, and the default where it requests nothing. A pod with
// limits alone has requests too: the API server sets them to the limits. Resources other than CPU and memory are not
// known to grow with pods: zero.
cluster::Loads estimate(const cluster::NodeNeeds& needs, const cluster::Node& node, const EstimateSettings& settings);

}  // namespace rescheduler::usage
