// A decision as lines of the log: one at verbosity 2; at 4 also why, node by node.
#pragma once

#include "cluster/cluster.h"
#include "placement/decide.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

// Whether decisions have to be explained for it.
bool logs_reasons() noexcept;
void log_decision(const api::Pod& pod, const placement::Decision& decision, const cluster::Cluster& cluster);

}  // namespace rescheduler::scheduler
