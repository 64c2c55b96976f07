// A plan as text for users: the moves, the nodes before and after, and the pods that stay.
#pragma once

#include <string>

#include "cli/view/text.h"
#include "rescheduling/planning/plan.h"

namespace rescheduler::cli {

std::string plan_table(const rescheduling::Plan& plan, const ViewStyle& style);

}  // namespace rescheduler::cli
