// What is told about nodes, as Events. Of moves tells who carries them out.
#pragma once

#include "kube/events/event_record.h"
#include "rescheduler/loop/maintenance.h"

namespace rescheduler::rescheduling {

kube::EventRecord news_of(const NodeNews& news);

}  // namespace rescheduler::rescheduling
