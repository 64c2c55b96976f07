// Runs all strategies of a request on one PlanBuilder until no strategy changes the plan.
#pragma once

#include "rescheduling/planning/plan_builder.h"

namespace rescheduler::rescheduling {

// Goal: after a plan is carried out, a new plan for the same request is empty. Each strategy runs in turn on the
// snapshot with the moves so far. The run ends when no strategy changes anything, or when the caps or the time are used
// up. Strategies that undo each other's moves would never end. Then the least important of them are skipped, with a
// note.
void run_until_stable(PlanBuilder& builder);

}  // namespace rescheduler::rescheduling
