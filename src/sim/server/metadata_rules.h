// Kubernetes' rules for the metadata of every object. Pure.
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

// Restores the fields that only the server sets from the stored object.
void keep_system_fields(const api::ObjectMeta& before, api::ObjectMeta& after);

}  // namespace rescheduler::sim
