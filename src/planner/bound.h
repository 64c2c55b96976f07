// What no assignment can cost less than.
#pragma once

#include "planner/problem.h"

namespace rescheduler::planner {

// The fleet taken as one machine: a sum of max(0, x) is at least max(0, the sum of x), and what the whole fleet uses
// does not depend on who is where. Unevenness, upkeep and moves count as nothing.
Cost lower_bound(const Problem& problem);

}  // namespace rescheduler::planner
