// Events about nodes. The migrator writes the Events about moves.
#pragma once

#include "kube/events/event_record.h"
#include "rescheduling/loop/maintenance.h"

namespace rescheduler::rescheduling {

kube::EventRecord event_of(const NodeActivity& activity);

}  // namespace rescheduler::rescheduling
