// What is different between two states of a node, as far as waiting pods may care.
#pragma once

#include "cluster/happening.h"

namespace rescheduler::cluster {

Changes changes_between(const Node& before, const Node& after);

// Of a placed pod: labels, and requests that grew or shrank.
Changes changes_between(const PlacedPod& before, const PlacedPod& after);

}  // namespace rescheduler::cluster
