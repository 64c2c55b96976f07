// What is different between two states of a pod that waits for a node, as far as that may get it one.
#pragma once

#include "cluster/cluster_event.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

cluster::ActionTypes changes_between(const api::Pod& before,
                                     const cluster::CompiledPodSpec& spec_before,
                                     const api::Pod& after,
                                     const cluster::CompiledPodSpec& spec_after);

}  // namespace rescheduler::scheduler
