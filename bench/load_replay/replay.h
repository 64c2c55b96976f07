// A day in a cluster whose pods one rule places.
#pragma once

#include "outcome.h"
#include "rules/rule.h"
#include "workload.h"

namespace rescheduler::replay {

struct ReplayOptions {
  int sample_minutes = 1;  // between two readings that a rule sees
};

Outcome replay(const Workload& workload, const NamedRule& rule, const ReplayOptions& options);

}  // namespace rescheduler::replay
