// What is different between two states of a pod that waits for a node, as far as that may get it one.
#pragma once

#include "cluster/happening.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

cluster::Changes changes_between(const api::Pod& before,
                                 const cluster::PodForm& form_before,
                                 const api::Pod& after,
                                 const cluster::PodForm& form_after);

}  // namespace rescheduler::scheduler
