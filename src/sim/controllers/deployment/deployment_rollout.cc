// Scales the ReplicaSets of a Deployment up and down.
#include <algorithm>

#include <fmt/format.h>

#include "sim/controllers/deployment/deployment_reconcile_state.h"

namespace rescheduler::sim {

namespace {

std::int32_t available(const ReplicaSets& sets) {
  std::int32_t sum = 0;
  for (const ReplicaSetPtr& set : sets) sum += set->status().available_replicas();
  return sum;
}

}  // namespace

bool DeploymentController::scale_set(ReconcileState& state, ReplicaSetPtr& set, std::int32_t size, bool annotate) {
  const std::int32_t before = set->spec().replicas();
  if (before == size && !annotate) return true;
  const std::string name = set->metadata().name();
  const auto written = server_.modify<api::ReplicaSet>(state.ns(), name, [&](api::ReplicaSet& changed) {
    changed.mutable_spec()->set_replicas(size);
    set_replicas_annotations(changed, state.deployment);
  });
  if (!written) return false;
  set = *written;
  if (before != size) {
    note(state, kube::EventType::Normal, "ScalingReplicaSet",
         fmt::format("Scaled {} replica set {} from {} to {}", before < size ? "up" : "down", name, before, size));
  }
  return true;
}

// For a change of replicas, perhaps in the middle of a rollout, and for a paused Deployment.
bool DeploymentController::scale_all(ReconcileState& state) {
  std::vector<ReplicaSetPtr*> active;
  for (ReplicaSetPtr& set : state.old_sets) {
    if (set->spec().replicas() > 0) active.push_back(&set);
  }
  if (state.new_set && state.new_set->spec().replicas() > 0) active.push_back(&state.new_set);
  if (active.empty()) {
    if (state.new_set) {
      active.push_back(&state.new_set);
    } else if (!state.old_sets.empty()) {
      active.push_back(&state.old_sets.back());
    } else {
      return true;
    }
  }
  if (active.size() == 1) return scale_set(state, *active.front(), state.deployment.spec().replicas(), false);
  if (state.new_set && is_saturated(state.deployment, *state.new_set)) {
    for (ReplicaSetPtr& old : state.old_sets) {
      if (!scale_set(state, old, 0, false)) return false;
    }
    return true;
  }
  return !is_rolling(state.deployment) || scale_in_proportion(state);
}

bool DeploymentController::scale_in_proportion(ReconcileState& state) {
  ReplicaSets sets = active_sets(state.all_sets());
  const std::int32_t replicas = state.deployment.spec().replicas();
  const std::int32_t most = replicas > 0 ? replicas + max_surge(state.deployment) : 0;
  const std::int32_t to_add = most - wanted_replicas(sets);
  if (to_add != 0) sort_by_size(sets, to_add > 0);
  std::vector<std::int32_t> sizes;
  std::int32_t added = 0;
  for (const ReplicaSetPtr& set : sets) {
    const std::int32_t part = to_add == 0 ? 0 : proportion(*set, state.deployment, to_add, added);
    sizes.push_back(set->spec().replicas() + part);
    added += part;
  }
  sizes.front() = std::max(0, sizes.front() + to_add - added);  // the rounding remainder goes to the largest set
  const auto scale_named = [&](const std::string& name, std::int32_t size) {
    if (state.new_set && state.new_set->metadata().name() == name) return scale_set(state, state.new_set, size, true);
    const auto old = std::ranges::find_if(state.old_sets,
                                          [&name](const ReplicaSetPtr& set) { return set->metadata().name() == name; });
    return scale_set(state, *old, size, true);
  };
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!scale_named(sets[i]->metadata().name(), sizes[i])) return false;
  }
  return true;
}

bool DeploymentController::roll(ReconcileState& state) {
  if (!sync_revision(state, true)) return false;
  if (!state.new_set) return true;  // the namespace is terminating
  bool scaled = false;
  if (!grow_new_set(state, scaled)) return false;
  if (!scaled && !shrink_old_sets(state, scaled)) return false;
  if (!scaled && is_complete(state.deployment, state.deployment.status()) && !clean_up(state)) return false;
  return write_rollout_status(state);
}

bool DeploymentController::grow_new_set(ReconcileState& state, bool& scaled) {
  const std::int32_t size = state.new_set->spec().replicas();
  const std::int32_t replicas = state.deployment.spec().replicas();
  const std::int32_t target =
      size > replicas ? replicas : new_set_size(state.deployment, wanted_replicas(state.all_sets()), size);
  scaled = target != size;
  return scale_set(state, state.new_set, target, false);
}

bool DeploymentController::shrink_old_sets(ReconcileState& state, bool& scaled) {
  const std::int32_t min_available = state.deployment.spec().replicas() - max_unavailable(state.deployment);
  // Unavailable pods of the new set must not allow the deletion of old pods.
  const std::int32_t not_yet = state.new_set->spec().replicas() - state.new_set->status().available_replicas();
  std::int32_t room = wanted_replicas(state.all_sets()) - min_available - not_yet;
  if (wanted_replicas(state.old_sets) == 0 || room <= 0) return true;
  // Unavailable pods first: their deletion costs no availability.
  for (ReplicaSetPtr& set : state.old_sets) {
    const std::int32_t broken = set->spec().replicas() - set->status().available_replicas();
    const std::int32_t fewer = std::min(room, broken);
    if (fewer <= 0 || set->spec().replicas() == 0) continue;
    if (!scale_set(state, set, set->spec().replicas() - fewer, false)) return false;
    room -= fewer;
    scaled = true;
  }
  std::int32_t spare = available(state.all_sets()) - min_available;
  for (ReplicaSetPtr& set : state.old_sets) {
    const std::int32_t fewer = std::min(spare, set->spec().replicas());
    if (fewer <= 0) continue;
    if (!scale_set(state, set, set->spec().replicas() - fewer, false)) return false;
    spare -= fewer;
    scaled = true;
  }
  return true;
}

bool DeploymentController::recreate(ReconcileState& state) {
  bool scaled = false;
  for (ReplicaSetPtr& set : state.old_sets) {
    if (set->spec().replicas() == 0) continue;
    if (!scale_set(state, set, 0, false)) return false;
    scaled = true;
  }
  if (scaled) return write_rollout_status(state);
  if (old_pods_running(state)) {
    waiting_for_old_pods_.insert(state.key);
    return write_rollout_status(state);
  }
  if (!state.new_set && !sync_revision(state, true)) return false;
  if (!state.new_set) return true;
  if (!scale_set(state, state.new_set, state.deployment.spec().replicas(), false)) return false;
  if (is_complete(state.deployment, state.deployment.status()) && !clean_up(state)) return false;
  return write_rollout_status(state);
}

bool DeploymentController::old_pods_running(const ReconcileState& state) const {
  return std::ranges::any_of(state.old_sets, [this](const ReplicaSetPtr& set) {
    return set->status().replicas() > 0
           || std::ranges::any_of(pods_.of_owner(set->metadata().uid()),
                                  [](const PodView* pod) { return !pod->finished(); });
  });
}

// Old sets are the revisions for a rollback. Keeps at most revisionHistoryLimit of them.
bool DeploymentController::clean_up(ReconcileState& state) {
  const api::DeploymentSpec& spec = state.deployment.spec();
  if (!spec.has_revision_history_limit()) return true;
  ReplicaSets history;
  std::ranges::copy_if(state.old_sets, std::back_inserter(history),
                       [](const ReplicaSetPtr& set) { return !set->metadata().has_deletion_timestamp(); });
  const auto limit = static_cast<std::size_t>(std::max(0, spec.revision_history_limit()));
  if (history.size() <= limit) return true;
  std::ranges::sort(history, {}, [](const ReplicaSetPtr& set) {
    return std::tuple(revision_of(set->metadata()), set->metadata().creation_timestamp().seconds(),
                      std::string_view(set->metadata().name()));
  });
  history.resize(history.size() - limit);
  for (const ReplicaSetPtr& set : history) {
    const bool settled = set->metadata().generation() <= set->status().observed_generation();
    if (set->spec().replicas() != 0 || set->status().replicas() != 0 || !settled) continue;
    const auto removed =
        server_.remove(server_.kinds().of<api::ReplicaSet>(), state.ns(), set->metadata().name(), api::DeleteOptions());
    if (!removed && removed.error().code != 404) return false;
  }
  return true;
}

}  // namespace rescheduler::sim
