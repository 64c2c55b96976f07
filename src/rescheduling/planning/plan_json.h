// A plan as JSON: what `rescheduler plan -o json` prints and the API serves.
#pragma once

#include <string>

#include "rescheduling/planning/plan.h"

namespace rescheduler::rescheduling {

// Keys as docs/rescheduling.md has them. Shares are percent with two digits; what is not known is null.
std::string to_json(const Plan& plan);

}  // namespace rescheduler::rescheduling
