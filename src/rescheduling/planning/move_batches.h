// Which moves may be under way together: the planner's waves, made small enough for the brakes and the budgets.
#pragma once

#include <vector>

#include "planner/order.h"
#include "rescheduling/planning/adapter.h"
#include "rescheduling/planning/plan_builder.h"

namespace rescheduler::rescheduling {

// A step of the order, with the number of the step of the plan it belongs to; from 1.
struct NumberedStep {
  planner::Step step{};
  std::uint32_t number = 1;
};

// A wave is cut wherever a limit asks for it: moves at once in total, from and to a node, of a namespace, of a
// workload, of a budget. The filters were asked in the order of the wave; of two moves of which one may depend on the
// other - it comes to a node that the other leaves, or their pods speak of each other by affinity or spread - the one
// that came first in it stays first, and they are never in one step. So any order within a step does.
std::vector<NumberedStep> number_steps(const std::vector<planner::Step>& steps,
                                       const Adapted& adapted,
                                       const PlanBuilder& builder);

}  // namespace rescheduler::rescheduling
