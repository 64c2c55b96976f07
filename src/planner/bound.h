// A lower bound on the cost of any assignment.
#pragma once

#include "planner/problem.h"

namespace rescheduler::planner {

// Treats the fleet as one machine: a sum of max(0, x) is at least max(0, sum of x), and the usage of the whole fleet
// does not depend on the assignment. Unevenness, upkeep and moves count as zero.
Cost lower_bound(const Problem& problem);

}  // namespace rescheduler::planner
