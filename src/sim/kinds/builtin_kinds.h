// The kinds that the embedded cluster serves without any CustomResourceDefinition.
#pragma once

#include <vector>

#include "sim/kinds/kind.h"

namespace rescheduler::sim {

// The kinds with their rules. Core events are in the list like any kind; the registry makes them a view of
// events.k8s.io events (Kind::stored_as).
std::vector<Kind> builtin_kinds();

}  // namespace rescheduler::sim
