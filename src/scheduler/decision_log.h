// Logs a decision: one line at verbosity 2; at verbosity 4 also the reason for each node.
#pragma once

#include "cluster/cluster.h"
#include "placement/decide.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

// True if the log verbosity needs the reasons of a decision (DecideOptions::explain).
bool logs_reasons() noexcept;
void log_decision(const api::Pod& pod, const placement::Decision& decision, const cluster::Cluster& cluster);

}  // namespace rescheduler::scheduler
