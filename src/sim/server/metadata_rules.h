// Kubernetes' rules about the metadata that every object has. Pure.
#pragma once

#include <string>

#include "sim/kinds/kind.h"

namespace rescheduler::api {
class ObjectMeta;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Name, namespace, labels, annotations, owners, finalizers.
void check_metadata(const Kind& kind, const api::ObjectMeta& metadata, Faults& faults);
void check_metadata_update(const api::ObjectMeta& before, const api::ObjectMeta& after, Faults& faults);

// The fields the server alone decides, taken from what is stored.
void keep_system_fields(const api::ObjectMeta& before, api::ObjectMeta& after);

}  // namespace rescheduler::sim
