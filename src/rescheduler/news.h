// What is told about moves, as Events: on the pod, its workload and its nodes.
#pragma once

#include <string>
#include <vector>

#include "kube/events/event_record.h"
#include "migration/mover.h"
#include "rescheduler/maintenance.h"

namespace rescheduler::rescheduling {

std::vector<kube::EventRecord> news_of(const migration::MoveOutcome& outcome);
kube::EventRecord news_of(const NodeNews& news);
kube::ObjectRef ref_to(const migration::Lineage& lineage);

}  // namespace rescheduler::rescheduling
