// The object of a watch event as the client sees it.
#pragma once

#include "sim/server/watch.h"

namespace rescheduler::sim {

// The object has the event's resourceVersion. An object that stops matching the selectors is shown in its last matching
// state, but with the version of the change.
ObjectPtr shown(const ServedEvent& event);

}  // namespace rescheduler::sim
