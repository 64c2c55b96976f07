// What is told about nodes, as Events. Of moves tells who carries them out.
#pragma once

#include "kube/events/event_record.h"
#include "rescheduling/loop/maintenance.h"

namespace rescheduler::rescheduling {

kube::EventRecord event_of(const NodeActivity& activity);

}  // namespace rescheduler::rescheduling
