// Pods with a nominated node that are not bound yet: the pods preempted for them are terminating. Meanwhile, pods of
// lower or equal priority must not use these resources.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/assigned_pod.h"

namespace rescheduler::placement {

using NominatedPods =
    boost::unordered_flat_map<cluster::NodeIndex, std::vector<std::shared_ptr<const cluster::AssignedPod>>>;

}  // namespace rescheduler::placement
