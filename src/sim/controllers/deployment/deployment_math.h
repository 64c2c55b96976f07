// The arithmetic of a rollout, and its annotations and conditions. Pure.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace rescheduler::api {
class Deployment;
class DeploymentCondition;
class DeploymentStatus;
class ObjectMeta;
class ReplicaSet;
}  // namespace rescheduler::api

namespace rescheduler::sim {

using ReplicaSetPtr = std::shared_ptr<const api::ReplicaSet>;
using ReplicaSets = std::vector<ReplicaSetPtr>;

inline constexpr std::string_view kRevisionAnnotation = "deployment.kubernetes.io/revision";
inline constexpr std::string_view kRevisionHistoryAnnotation = "deployment.kubernetes.io/revision-history";
inline constexpr std::string_view kDesiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas";
inline constexpr std::string_view kMaxReplicasAnnotation = "deployment.kubernetes.io/max-replicas";

bool is_rolling(const api::Deployment& deployment);
// For RollingUpdate, surge is rounded up and unavailability is rounded down. If both are zero, one pod can be
// unavailable. For other strategies both are zero.
std::int32_t max_surge(const api::Deployment& deployment);
std::int32_t max_unavailable(const api::Deployment& deployment);

std::int32_t wanted_replicas(const ReplicaSets& sets);   // the sum of spec.replicas
ReplicaSets active_sets(const ReplicaSets& sets);        // sets with spec.replicas above zero
void sort_by_creation(ReplicaSets& sets);                // oldest first
void sort_by_size(ReplicaSets& sets, bool newer_first);  // largest first; `newer_first` decides between equal sizes

// The allowed size of the new set, given the sum over all sets including the new set.
std::int32_t new_set_size(const api::Deployment& deployment, std::int32_t all, std::int32_t of_new);
// The share of this set in `to_add` (can be negative). `added` pods of `to_add` are already given to other sets.
std::int32_t proportion(const api::ReplicaSet& set,
                        const api::Deployment& deployment,
                        std::int32_t to_add,
                        std::int32_t added);
// Whether this set alone has all replicas of the Deployment, and all of them are available.
bool is_saturated(const api::Deployment& deployment, const api::ReplicaSet& set);

std::int64_t revision_of(const api::ObjectMeta& metadata);  // 0: none, or not a number
std::int64_t max_revision(const ReplicaSets& sets);
std::optional<std::int32_t> count_in_annotation(const api::ObjectMeta& metadata, std::string_view key);
bool set_annotation(api::ObjectMeta& metadata, std::string_view key, const std::string& value);  // true: changed
bool set_replicas_annotations(api::ReplicaSet& set, const api::Deployment& deployment);
// Copies the annotations of the Deployment, except those of the controller and kubectl apply, and sets the revision. A
// revision that is replaced goes to the revision history.
bool annotate_new_set(api::ReplicaSet& set, const api::Deployment& deployment, std::int64_t revision);

bool has_progress_deadline(const api::Deployment& deployment);
bool is_complete(const api::Deployment& deployment, const api::DeploymentStatus& status);
bool has_progressed(const api::DeploymentStatus& before, const api::DeploymentStatus& now);
bool has_timed_out(const api::Deployment& deployment, const api::DeploymentStatus& status, WallTime now);

const api::DeploymentCondition* find_condition(const api::DeploymentStatus& status, std::string_view type);
api::DeploymentCondition make_condition(std::string_view type,
                                        std::string_view status,
                                        std::string_view reason,
                                        std::string message,
                                        WallTime now);
// A condition with the same status and reason is not changed.
void put_condition(api::DeploymentStatus& status, api::DeploymentCondition condition);
void drop_condition(api::DeploymentStatus& status, std::string_view type);

}  // namespace rescheduler::sim
