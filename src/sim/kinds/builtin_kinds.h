// The kinds the embedded cluster serves before anybody defines one.
#pragma once

#include <vector>

#include "sim/kinds/kind.h"

namespace rescheduler::sim {

// With their rules. Core events stand in it like any kind; the registry makes them a view.
std::vector<Kind> builtin_kinds();

}  // namespace rescheduler::sim
