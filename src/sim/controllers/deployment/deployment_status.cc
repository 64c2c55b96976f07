// The status of a Deployment: replica counts, availability, progress.
#include <fmt/format.h>

#include "kube/value/time.h"
#include "sim/controllers/deployment/deployment_reconcile_state.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

namespace {

api::DeploymentStatus counted(const api::Deployment& deployment,
                              const ReplicaSets& sets,
                              const api::ReplicaSet* new_set,
                              WallTime now) {
  api::DeploymentStatus status;
  std::int32_t replicas = 0;
  std::int32_t ready = 0;
  std::int32_t available = 0;
  std::int32_t terminating = 0;
  for (const ReplicaSetPtr& set : sets) {
    replicas += set->status().replicas();
    ready += set->status().ready_replicas();
    available += set->status().available_replicas();
    terminating += set->status().terminating_replicas();
  }
  status.set_observed_generation(deployment.metadata().generation());
  status.set_replicas(replicas);
  status.set_updated_replicas(new_set == nullptr ? 0 : new_set->status().replicas());
  status.set_ready_replicas(ready);
  status.set_available_replicas(available);
  status.set_unavailable_replicas(std::max(0, wanted_replicas(sets) - available));
  status.set_terminating_replicas(terminating);
  if (deployment.status().has_collision_count()) status.set_collision_count(deployment.status().collision_count());
  *status.mutable_conditions() = deployment.status().conditions();
  const bool enough = available >= deployment.spec().replicas() - max_unavailable(deployment);
  put_condition(status, enough ? make_condition("Available", "True", "MinimumReplicasAvailable",
                                                "Deployment has minimum availability.", now)
                               : make_condition("Available", "False", "MinimumReplicasUnavailable",
                                                "Deployment does not have minimum availability.", now));
  return status;
}

void estimate_progress(api::DeploymentStatus& status,
                       const api::Deployment& deployment,
                       const std::string& who,
                       WallTime now) {
  const api::DeploymentCondition* current = find_condition(deployment.status(), "Progressing");
  const bool was_complete = status.replicas() == status.updated_replicas() && current != nullptr
                            && current->reason() == "NewReplicaSetAvailable";
  if (was_complete) return;
  if (is_complete(deployment, status)) {
    put_condition(status, make_condition("Progressing", "True", "NewReplicaSetAvailable",
                                         fmt::format("{} has successfully progressed.", who), now));
  } else if (has_progressed(deployment.status(), status)) {
    // lastUpdateTime changes even if the reason stays, because the deadline counts from it.
    api::DeploymentCondition condition =
        make_condition("Progressing", "True", "ReplicaSetUpdated", fmt::format("{} is progressing.", who), now);
    if (current != nullptr && current->status() == "True") {
      *condition.mutable_last_transition_time() = current->last_transition_time();
    }
    drop_condition(status, "Progressing");
    put_condition(status, std::move(condition));
  } else if (has_timed_out(deployment, status, now)) {
    put_condition(status, make_condition("Progressing", "False", "ProgressDeadlineExceeded",
                                         fmt::format("{} has timed out progressing.", who), now));
  }
}

// A failure of the new set has precedence over a failure of an old set.
const api::ReplicaSetCondition* failure_of(const ReplicaSets& sets, const ReplicaSetPtr& new_set) {
  const auto in = [](const api::ReplicaSet& set) -> const api::ReplicaSetCondition* {
    for (const auto& condition : set.status().conditions()) {
      if (condition.type() == "ReplicaFailure") return &condition;
    }
    return nullptr;
  };
  const api::ReplicaSetCondition* found = new_set ? in(*new_set) : nullptr;
  for (const ReplicaSetPtr& set : sets) {
    if (found == nullptr) found = in(*set);
  }
  return found;
}

}  // namespace

bool DeploymentController::write_status(ReconcileState& state) {
  return store(state, counted(state.deployment, state.all_sets(), state.new_set.get(), server_.agenda().wall_now()));
}

bool DeploymentController::write_rollout_status(ReconcileState& state) {
  const WallTime now = server_.agenda().wall_now();
  const ReplicaSets sets = state.all_sets();
  api::DeploymentStatus status = counted(state.deployment, sets, state.new_set.get(), now);
  if (!has_progress_deadline(state.deployment)) {
    drop_condition(status, "Progressing");
  } else {
    const std::string who = state.new_set ? fmt::format("ReplicaSet \"{}\"", state.new_set->metadata().name())
                                          : fmt::format("Deployment \"{}\"", state.name());
    estimate_progress(status, state.deployment, who, now);
  }
  if (const api::ReplicaSetCondition* failure = failure_of(sets, state.new_set)) {
    api::DeploymentCondition condition =
        make_condition(failure->type(), failure->status(), failure->reason(), failure->message(), now);
    *condition.mutable_last_update_time() = failure->last_transition_time();
    *condition.mutable_last_transition_time() = failure->last_transition_time();
    put_condition(status, std::move(condition));
  } else {
    drop_condition(status, "ReplicaFailure");
  }
  if (!store(state, status)) return false;
  look_again_at_deadline(state);
  return true;
}

// The revision is stored with the status, as in Kubernetes: a normal update of annotations would increment the
// generation.
bool DeploymentController::store(ReconcileState& state, const api::DeploymentStatus& status) {
  const std::string revision = std::to_string(revision_of(state.deployment.metadata()));
  if (!state.new_revision && status.SerializeAsString() == state.deployment.status().SerializeAsString()) return true;
  const auto stored =
      server_.modify_status<api::Deployment>(state.ns(), state.name(), [&](api::Deployment& deployment) {
        if (state.new_revision) set_annotation(*deployment.mutable_metadata(), kRevisionAnnotation, revision);
        *deployment.mutable_status() = status;
      });
  if (!stored) return false;
  state.new_revision = false;
  state.deployment = **stored;
  return true;
}

// If nothing changes any more, only this timer wakes the controller at the progress deadline.
void DeploymentController::look_again_at_deadline(const ReconcileState& state) {
  const api::DeploymentCondition* progressing = find_condition(state.deployment.status(), "Progressing");
  if (!has_progress_deadline(state.deployment) || progressing == nullptr) return;
  // A completed rollout never times out later. The ReplicaSet replaces missing pods, and its changes wake this
  // controller.
  if (is_complete(state.deployment, state.deployment.status()) || progressing->reason() == "ProgressDeadlineExceeded"
      || progressing->reason() == "NewReplicaSetAvailable") {
    return;
  }
  const WallTime due = kube::wall_time(progressing->last_update_time())
                       + std::chrono::seconds{state.deployment.spec().progress_deadline_seconds()};
  queue_.add_after(state.key, due - server_.agenda().wall_now() + std::chrono::seconds{1});
}

}  // namespace rescheduler::sim
