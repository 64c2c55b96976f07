#include "sim/controllers/deployment/deployment_math.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include "kube/proto/apps.pb.h"
#include "kube/value/time.h"
#include "sim/controllers/amount_of.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

namespace {

constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();
// Longer histories lose their oldest entries, to keep the annotation small.
constexpr std::size_t kMostHistoryBytes = 2000;

struct Bounds {
  std::int32_t surge = 0;
  std::int32_t unavailable = 0;
};

Bounds bounds_of(const api::Deployment& deployment) {
  if (!is_rolling(deployment)) return {};
  const auto& rolling = deployment.spec().strategy().rolling_update();
  const std::int32_t replicas = deployment.spec().replicas();
  Bounds bounds;
  bounds.surge = amount_of(rolling.max_surge(), replicas, kube::IntOrString::Rounding::Up);
  bounds.unavailable = amount_of(rolling.max_unavailable(), replicas, kube::IntOrString::Rounding::Down);
  if (bounds.surge == 0 && bounds.unavailable == 0) bounds.unavailable = 1;
  return bounds;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view annotation(const api::ObjectMeta& metadata, std::string_view key) {
  const auto found = metadata.annotations().find(std::string(key));
  return found == metadata.annotations().end() ? std::string_view() : std::string_view(found->second);
}

auto age_of(const api::ReplicaSet& set) {
  return std::tuple(set.metadata().creation_timestamp().seconds(), std::string_view(set.metadata().name()));
}

std::int32_t fraction(const api::ReplicaSet& set, const api::Deployment& deployment) {
  const std::int32_t replicas = set.spec().replicas();
  if (deployment.spec().replicas() == 0) return -replicas;
  const std::int32_t most = deployment.spec().replicas() + max_surge(deployment);
  std::int32_t most_before = count_in_annotation(set.metadata(), kMaxReplicasAnnotation).value_or(0);
  if (most_before == 0) most_before = deployment.status().replicas();
  if (most_before == 0) return 0;
  const double size = static_cast<double>(replicas) * most / most_before;
  return static_cast<std::int32_t>(std::lround(size)) - replicas;
}

bool is_copied(std::string_view annotation_key) {
  static constexpr std::array<std::string_view, 6> kOwn{"kubectl.kubernetes.io/last-applied-configuration",
                                                        kRevisionAnnotation,
                                                        kRevisionHistoryAnnotation,
                                                        kDesiredReplicasAnnotation,
                                                        kMaxReplicasAnnotation,
                                                        "deprecated.deployment.rollback.to"};
  return std::ranges::find(kOwn, annotation_key) == kOwn.end();
}

std::string with_revision(std::string_view history, std::string_view revision) {
  if (history.empty()) return std::string(revision);
  while (!history.empty() && history.size() + 1 + revision.size() > kMostHistoryBytes) {
    const std::size_t comma = history.find(',');
    history.remove_prefix(comma == std::string_view::npos ? history.size() : comma + 1);
  }
  return history.empty() ? std::string(revision) : std::string(history) + "," + std::string(revision);
}

}  // namespace

bool is_rolling(const api::Deployment& deployment) { return deployment.spec().strategy().type() == "RollingUpdate"; }

std::int32_t max_surge(const api::Deployment& deployment) { return bounds_of(deployment).surge; }

std::int32_t max_unavailable(const api::Deployment& deployment) {
  return std::min(bounds_of(deployment).unavailable, deployment.spec().replicas());
}

std::int32_t wanted_replicas(const ReplicaSets& sets) {
  std::int32_t sum = 0;
  for (const ReplicaSetPtr& set : sets) sum += set->spec().replicas();
  return sum;
}

ReplicaSets active_sets(const ReplicaSets& sets) {
  ReplicaSets active;
  std::ranges::copy_if(sets, std::back_inserter(active),
                       [](const ReplicaSetPtr& set) { return set->spec().replicas() > 0; });
  return active;
}

void sort_by_creation(ReplicaSets& sets) {
  std::ranges::sort(sets, [](const auto& a, const auto& b) { return age_of(*a) < age_of(*b); });
}

void sort_by_size(ReplicaSets& sets, bool newer_first) {
  std::ranges::sort(sets, [newer_first](const auto& a, const auto& b) {
    if (a->spec().replicas() != b->spec().replicas()) return a->spec().replicas() > b->spec().replicas();
    return newer_first ? age_of(*b) < age_of(*a) : age_of(*a) < age_of(*b);
  });
}

std::int32_t new_set_size(const api::Deployment& deployment, std::int32_t all, std::int32_t of_new) {
  const std::int32_t replicas = deployment.spec().replicas();
  if (!is_rolling(deployment)) return replicas;
  // Kubernetes does not call ResolveFenceposts here. ResolveFenceposts changes only maxUnavailable, so the surge is the
  // same.
  const std::int32_t most = replicas + max_surge(deployment);
  if (all >= most) return of_new;
  return of_new + std::min(most - all, replicas - of_new);
}

std::int32_t proportion(const api::ReplicaSet& set,
                        const api::Deployment& deployment,
                        std::int32_t to_add,
                        std::int32_t added) {
  if (set.spec().replicas() == 0 || to_add == 0 || to_add == added) return 0;
  const std::int32_t allowed = to_add - added;
  const std::int32_t part = fraction(set, deployment);
  return to_add > 0 ? std::min(part, allowed) : std::max(part, allowed);
}

bool is_saturated(const api::Deployment& deployment, const api::ReplicaSet& set) {
  const std::int32_t replicas = deployment.spec().replicas();
  return set.spec().replicas() == replicas
         && count_in_annotation(set.metadata(), kDesiredReplicasAnnotation) == replicas
         && set.status().available_replicas() == replicas;
}

std::int64_t revision_of(const api::ObjectMeta& metadata) {
  return number(annotation(metadata, kRevisionAnnotation)).value_or(0);
}

std::int64_t max_revision(const ReplicaSets& sets) {
  std::int64_t most = 0;
  for (const ReplicaSetPtr& set : sets) most = std::max(most, revision_of(set->metadata()));
  return most;
}

std::optional<std::int32_t> count_in_annotation(const api::ObjectMeta& metadata, std::string_view key) {
  const auto value = number(annotation(metadata, key));
  if (!value || *value < 0 || *value > kNoLimit) return std::nullopt;
  return static_cast<std::int32_t>(*value);
}

bool set_annotation(api::ObjectMeta& metadata, std::string_view key, const std::string& value) {
  const auto found = metadata.annotations().find(std::string(key));
  if (found != metadata.annotations().end() && found->second == value) return false;
  (*metadata.mutable_annotations())[std::string(key)] = value;
  return true;
}

bool set_replicas_annotations(api::ReplicaSet& set, const api::Deployment& deployment) {
  const std::int32_t desired = deployment.spec().replicas();
  const bool changed = set_annotation(*set.mutable_metadata(), kDesiredReplicasAnnotation, std::to_string(desired));
  return set_annotation(*set.mutable_metadata(), kMaxReplicasAnnotation,
                        std::to_string(desired + max_surge(deployment)))
         || changed;
}

bool annotate_new_set(api::ReplicaSet& set, const api::Deployment& deployment, std::int64_t revision) {
  api::ObjectMeta& metadata = *set.mutable_metadata();
  bool changed = false;
  for (const auto& [key, value] : deployment.metadata().annotations()) {
    if (is_copied(key)) changed |= set_annotation(metadata, key, value);
  }
  const std::string before(annotation(metadata, kRevisionAnnotation));
  const auto known = before.empty() ? std::optional<std::int64_t>(0) : number(before);
  if (!known || *known >= revision) return changed;
  if (!before.empty()) {
    set_annotation(metadata, kRevisionHistoryAnnotation,
                   with_revision(annotation(metadata, kRevisionHistoryAnnotation), before));
  }
  return set_annotation(metadata, kRevisionAnnotation, std::to_string(revision)) || changed;
}

bool has_progress_deadline(const api::Deployment& deployment) {
  return deployment.spec().has_progress_deadline_seconds() && deployment.spec().progress_deadline_seconds() != kNoLimit;
}

bool is_complete(const api::Deployment& deployment, const api::DeploymentStatus& status) {
  const std::int32_t replicas = deployment.spec().replicas();
  return status.updated_replicas() == replicas && status.replicas() == replicas
         && status.available_replicas() == replicas
         && status.observed_generation() >= deployment.metadata().generation();
}

bool has_progressed(const api::DeploymentStatus& before, const api::DeploymentStatus& now) {
  return now.updated_replicas() > before.updated_replicas()
         || now.replicas() - now.updated_replicas() < before.replicas() - before.updated_replicas()
         || now.ready_replicas() > before.ready_replicas() || now.available_replicas() > before.available_replicas();
}

bool has_timed_out(const api::Deployment& deployment, const api::DeploymentStatus& status, WallTime now) {
  const api::DeploymentCondition* progressing = find_condition(status, "Progressing");
  if (!has_progress_deadline(deployment) || progressing == nullptr) return false;
  if (progressing->reason() == "NewReplicaSetAvailable") return false;
  if (progressing->reason() == "ProgressDeadlineExceeded") return true;
  return kube::wall_time(progressing->last_update_time())
             + std::chrono::seconds{deployment.spec().progress_deadline_seconds()}
         < now;
}

const api::DeploymentCondition* find_condition(const api::DeploymentStatus& status, std::string_view type) {
  const auto found = std::ranges::find(status.conditions(), type, &api::DeploymentCondition::type);
  return found == status.conditions().end() ? nullptr : &*found;
}

api::DeploymentCondition make_condition(std::string_view type,
                                        std::string_view status,
                                        std::string_view reason,
                                        std::string message,
                                        WallTime now) {
  api::DeploymentCondition condition;
  condition.set_type(std::string(type));
  condition.set_status(std::string(status));
  condition.set_reason(std::string(reason));
  condition.set_message(std::move(message));
  *condition.mutable_last_update_time() = stamp(now);
  *condition.mutable_last_transition_time() = stamp(now);
  return condition;
}

void put_condition(api::DeploymentStatus& status, api::DeploymentCondition condition) {
  if (const api::DeploymentCondition* known = find_condition(status, condition.type())) {
    if (known->status() == condition.status() && known->reason() == condition.reason()) return;
    if (known->status() == condition.status()) {
      *condition.mutable_last_transition_time() = known->last_transition_time();
    }
  }
  drop_condition(status, condition.type());
  *status.add_conditions() = std::move(condition);
}

void drop_condition(api::DeploymentStatus& status, std::string_view type) {
  auto& conditions = *status.mutable_conditions();
  const auto found = std::ranges::find(conditions, type, &api::DeploymentCondition::type);
  if (found != conditions.end()) conditions.erase(found);
}

}  // namespace rescheduler::sim
