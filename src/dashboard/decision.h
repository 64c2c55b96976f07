// "Why here, why not there": a decision about one pod as if it were to be placed now.
#pragma once

#include <string>

#include "base/error.h"
#include "net/task.h"
#include "placement/explain.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api
namespace rescheduler::scheduler {
class LiveScheduler;
class Scheduler;
}  // namespace rescheduler::scheduler

namespace rescheduler::dashboard {

// The object `rescheduler explain -o json` prints, but for nodes that were not asked about, with the node the pod is on
// now as `current`. A pod that has a node is taken off it for the question, and put back.
Result<std::string> explain(scheduler::Scheduler& scheduler, api::Pod pod, placement::NodeListing listing);
// The same where the scheduler decides; it waits meanwhile. The scheduler outlives the answer.
net::Task<Result<std::string>> explain(scheduler::LiveScheduler& live, api::Pod pod, placement::NodeListing listing);

}  // namespace rescheduler::dashboard
