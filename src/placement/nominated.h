// Pods that are promised a node but do not have it yet: others made room for them and are on their way out. Pods of
// lesser or equal rank must not take the room meanwhile.
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
