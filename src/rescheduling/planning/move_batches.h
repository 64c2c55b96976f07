// Splits the batches of the planner into the steps of a plan, which respect the brakes and the PodDisruptionBudgets.
// The moves of one step can run at the same time.
#pragma once

#include <vector>

#include "planner/order.h"
#include "rescheduling/planning/adapter.h"
#include "rescheduling/planning/plan_builder.h"

namespace rescheduler::rescheduling {

// A move of the planner, with the number of its step in the plan, from 1.
struct NumberedStep {
  planner::Step step{};
  std::uint32_t number = 1;
};

// Splits a batch where a limit requires it: concurrent moves in total, from and to a node, of a namespace, of a
// workload, of a PodDisruptionBudget.
//
// The filters checked the moves in the order of `steps`. One move can depend on another: its target is the source of
// the other, or their pods refer to each other by affinity or spread. Two such moves keep their order and are never in
// one step of the plan. So the moves of one step can run in any order.
std::vector<NumberedStep> number_steps(const std::vector<planner::Step>& steps,
                                       const Adapted& adapted,
                                       const PlanBuilder& builder);

}  // namespace rescheduler::rescheduling
