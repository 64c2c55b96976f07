// A plan for people: the moves, the nodes before and after, and who stays.
#pragma once

#include <string>

#include "cli/view/text.h"
#include "rescheduling/planning/plan.h"

namespace rescheduler::cli {

std::string plan_table(const rescheduling::Plan& plan, const ViewStyle& style);

}  // namespace rescheduler::cli
