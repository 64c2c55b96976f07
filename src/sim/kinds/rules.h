// The rules of built-in kinds, one function per family. Each is what the API server's strategy for the kind does:
// defaults, checks, and which half of the object a write may touch.
#pragma once

#include "sim/kinds/kind.h"

namespace rescheduler::sim {

KindRules builtin_rules(const Kind& kind);

}  // namespace rescheduler::sim
