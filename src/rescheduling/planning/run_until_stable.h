// All strategies of a request on one draft, until none of them has anything to do.
#pragma once

#include "rescheduling/planning/plan_builder.h"

namespace rescheduler::rescheduling {

// A plan that is carried out and then made again, with the same request, is empty: so the draft is taken to where that
// is so. Each strategy has its turn on the world as it would be with the moves so far; when every one of them leaves it
// as it is, that is the end. Strategies that undo each other's moves would go on for ever: then the least important of
// them is left out, and a note says so. Caps that are used up end it at once.
void run_until_stable(PlanBuilder& builder);

}  // namespace rescheduler::rescheduling
