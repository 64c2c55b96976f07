// Explains the scheduling decision for one pod as if it were scheduled now.
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

// The same object as `rescheduler explain -o json`, but `listing` selects the nodes; `current` is the node of the pod.
// A bound pod is removed from the model during the explanation and added again.
Result<std::string> explain(scheduler::Scheduler& scheduler, api::Pod pod, placement::NodeListing listing);
// The same on the thread of the scheduler, which waits meanwhile. The scheduler must outlive the result.
net::Task<Result<std::string>> explain(scheduler::LiveScheduler& live, api::Pod pod, placement::NodeListing listing);

}  // namespace rescheduler::dashboard
