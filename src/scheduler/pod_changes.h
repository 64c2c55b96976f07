// The changes between two versions of a pending pod that can make the pod schedulable.
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
