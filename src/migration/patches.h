// What is sent to the API server for each step. Pure: every patch carries the version, or at least the uid, of what it
// was decided on.
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

// The intent, and `replicas` unless it is -1.
std::string mark_workload_patch(const api::Migration& migration,
                                const ObservedWorkload& workload,
                                std::int32_t replicas);
// Down to `replicas`; the intent stays, the surge goes.
std::string retire_patch(const api::Migration& migration, const ObservedWorkload& workload, std::int32_t replicas);
// Everything of ours; the surge is undone unless somebody has changed the number since.
// With `keep_label` it can still be found by whoever has more to do.
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

// The pod as its owner wrote it: no node, no status, nothing a server or a controller has put in.
std::string sanitised_manifest(const api::Pod& pod);
// "rescheduled-<pod>-<unix time>"; a copy of a copy keeps the first one's name.
std::string copy_name(const std::string& pod, WallTime now);
Result<api::Pod> copy_from(const api::Migration& migration, const std::string& name);

}  // namespace rescheduler::migration
