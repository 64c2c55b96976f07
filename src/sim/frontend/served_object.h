// An event's object as its watcher sees it.
#pragma once

#include "sim/server/watch.h"

namespace rescheduler::sim {

// Under the event's resourceVersion: an object that ceased to match is shown as it last did, but at the version of
// the change that made it cease.
ObjectPtr shown(const ServedEvent& event);

}  // namespace rescheduler::sim
