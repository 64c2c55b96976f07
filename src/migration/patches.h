// The request bodies of the steps. Pure functions. Every patch carries the resourceVersion, or at least the UID, of the
// object that was observed.
#pragma once

#include <string>

#include "migration/protocol.h"

namespace rescheduler::api {
class Pod;
class PodDisruptionBudget;
class Eviction;
}  // namespace rescheduler::api

namespace rescheduler::migration {

std::string status_patch(const api::Migration& migration, const api::MigrationStatus& status);

// Sets the intent with the node to avoid, and spec.replicas unless `replicas` is -1.
std::string mark_workload_patch(const api::Migration& migration,
                                const ObservedWorkload& workload,
                                std::int32_t replicas,
                                const std::string& avoid);
// Scales down to `replicas`; keeps the intent without the surge.
std::string retire_patch(const api::Migration& migration, const ObservedWorkload& workload, std::int32_t replicas);
// Removes everything that the migration wrote. Undoes the surge unless another client has changed the replicas since.
// With `keep_label` the label stays, so that the sweeper finds the object again.
std::string unmark_workload_patch(const ObservedWorkload& workload, bool keep_label = false);

std::string mark_pod_patch(const std::string& migration, const api::Pod& pod);
std::string unmark_pod_patch(const api::Pod& pod);
std::string nominate_patch(const ObservedPod& pod, const std::string& node);
std::string release_copy_patch(const api::Pod& pod);
std::string unmark_copy_patch(const ObservedPod& pod);

api::Eviction eviction_of(const std::string& ns, const ObservedPod& pod);
api::PodDisruptionBudget budget_for(const api::Migration& migration,
                                    const MigrationSettings& settings,
                                    const api::Pod& pod);

// The pod as the user wrote it: without node, status, and fields that a server or a controller has set.
std::string sanitised_manifest(const api::Pod& pod);
// "rescheduled-<pod>-<unix time>"; a copy of a copy uses the name of the first pod.
std::string copy_name(const std::string& pod, WallTime now);
Result<api::Pod> copy_from(const api::Migration& migration, const std::string& name);

}  // namespace rescheduler::migration
