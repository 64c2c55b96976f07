// A plan as JSON: what `rescheduler plan -o json` prints and the API serves.
#pragma once

#include <string>

#include "rescheduling/planning/plan.h"

namespace rescheduler::rescheduling {

// docs/rescheduling.md documents the keys. Shares are percent with two digits; unknown values are null.
std::string to_json(const Plan& plan);

}  // namespace rescheduler::rescheduling
