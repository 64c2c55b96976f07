// Scales the ReplicaSets of a Deployment up and down.
#include <algorithm>

#include <fmt/format.h>

#include "sim/controllers/deployment/deployment_look.h"

namespace rescheduler::sim {

namespace {

std::int32_t available(const ReplicaSets& sets) {
  std::int32_t sum = 0;
  for (const ReplicaSetPtr& set : sets) sum += set->status().available_replicas();
  return sum;
}

}  // namespace

bool DeploymentController::scale_set(Look& look, ReplicaSetPtr& set, std::int32_t size, bool annotate) {
  const std::int32_t before = set->spec().replicas();
  if (before == size && !annotate) return true;
  const std::string name = set->metadata().name();
  const auto written = server_.modify<api::ReplicaSet>(look.ns(), name, [&](api::ReplicaSet& changed) {
    changed.mutable_spec()->set_replicas(size);
    set_replicas_annotations(changed, look.deployment);
  });
  if (!written) return false;
  set = *written;
  if (before != size) {
    note(look, kube::EventType::Normal, "ScalingReplicaSet",
         fmt::format("Scaled {} replica set {} from {} to {}", before < size ? "up" : "down", name, before, size));
  }
  return true;
}

// For a change of replicas, perhaps in the middle of a rollout, and for a paused Deployment.
bool DeploymentController::scale_all(Look& look) {
  std::vector<ReplicaSetPtr*> active;
  for (ReplicaSetPtr& set : look.old_sets) {
    if (set->spec().replicas() > 0) active.push_back(&set);
  }
  if (look.new_set && look.new_set->spec().replicas() > 0) active.push_back(&look.new_set);
  if (active.empty()) {
    if (look.new_set) {
      active.push_back(&look.new_set);
    } else if (!look.old_sets.empty()) {
      active.push_back(&look.old_sets.back());
    } else {
      return true;
    }
  }
  if (active.size() == 1) return scale_set(look, *active.front(), look.deployment.spec().replicas(), false);
  if (look.new_set && is_saturated(look.deployment, *look.new_set)) {
    for (ReplicaSetPtr& old : look.old_sets) {
      if (!scale_set(look, old, 0, false)) return false;
    }
    return true;
  }
  return !is_rolling(look.deployment) || scale_in_proportion(look);
}

bool DeploymentController::scale_in_proportion(Look& look) {
  ReplicaSets sets = active_sets(look.all_sets());
  const std::int32_t replicas = look.deployment.spec().replicas();
  const std::int32_t most = replicas > 0 ? replicas + max_surge(look.deployment) : 0;
  const std::int32_t to_add = most - wanted_replicas(sets);
  if (to_add != 0) sort_by_size(sets, to_add > 0);
  std::vector<std::int32_t> sizes;
  std::int32_t added = 0;
  for (const ReplicaSetPtr& set : sets) {
    const std::int32_t part = to_add == 0 ? 0 : proportion(*set, look.deployment, to_add, added);
    sizes.push_back(set->spec().replicas() + part);
    added += part;
  }
  sizes.front() = std::max(0, sizes.front() + to_add - added);  // the rounding remainder goes to the largest set
  const auto scale_named = [&](const std::string& name, std::int32_t size) {
    if (look.new_set && look.new_set->metadata().name() == name) return scale_set(look, look.new_set, size, true);
    const auto old = std::ranges::find_if(look.old_sets,
                                          [&name](const ReplicaSetPtr& set) { return set->metadata().name() == name; });
    return scale_set(look, *old, size, true);
  };
  for (std::size_t i = 0; i < sets.size(); ++i) {
    if (!scale_named(sets[i]->metadata().name(), sizes[i])) return false;
  }
  return true;
}

bool DeploymentController::roll(Look& look) {
  if (!sync_revision(look, true)) return false;
  if (!look.new_set) return true;  // the namespace is terminating
  bool scaled = false;
  if (!grow_new_set(look, scaled)) return false;
  if (!scaled && !shrink_old_sets(look, scaled)) return false;
  if (!scaled && is_complete(look.deployment, look.deployment.status()) && !clean_up(look)) return false;
  return write_rollout_status(look);
}

bool DeploymentController::grow_new_set(Look& look, bool& scaled) {
  const std::int32_t size = look.new_set->spec().replicas();
  const std::int32_t replicas = look.deployment.spec().replicas();
  const std::int32_t target =
      size > replicas ? replicas : new_set_size(look.deployment, wanted_replicas(look.all_sets()), size);
  scaled = target != size;
  return scale_set(look, look.new_set, target, false);
}

bool DeploymentController::shrink_old_sets(Look& look, bool& scaled) {
  const std::int32_t min_available = look.deployment.spec().replicas() - max_unavailable(look.deployment);
  // Unavailable pods of the new set must not allow the deletion of old pods.
  const std::int32_t not_yet = look.new_set->spec().replicas() - look.new_set->status().available_replicas();
  std::int32_t room = wanted_replicas(look.all_sets()) - min_available - not_yet;
  if (wanted_replicas(look.old_sets) == 0 || room <= 0) return true;
  // Unavailable pods first: their deletion costs no availability.
  for (ReplicaSetPtr& set : look.old_sets) {
    const std::int32_t broken = set->spec().replicas() - set->status().available_replicas();
    const std::int32_t fewer = std::min(room, broken);
    if (fewer <= 0 || set->spec().replicas() == 0) continue;
    if (!scale_set(look, set, set->spec().replicas() - fewer, false)) return false;
    room -= fewer;
    scaled = true;
  }
  std::int32_t spare = available(look.all_sets()) - min_available;
  for (ReplicaSetPtr& set : look.old_sets) {
    const std::int32_t fewer = std::min(spare, set->spec().replicas());
    if (fewer <= 0) continue;
    if (!scale_set(look, set, set->spec().replicas() - fewer, false)) return false;
    spare -= fewer;
    scaled = true;
  }
  return true;
}

bool DeploymentController::recreate(Look& look) {
  bool scaled = false;
  for (ReplicaSetPtr& set : look.old_sets) {
    if (set->spec().replicas() == 0) continue;
    if (!scale_set(look, set, 0, false)) return false;
    scaled = true;
  }
  if (scaled) return write_rollout_status(look);
  if (old_pods_running(look)) {
    waiting_for_old_pods_.insert(look.key);
    return write_rollout_status(look);
  }
  if (!look.new_set && !sync_revision(look, true)) return false;
  if (!look.new_set) return true;
  if (!scale_set(look, look.new_set, look.deployment.spec().replicas(), false)) return false;
  if (is_complete(look.deployment, look.deployment.status()) && !clean_up(look)) return false;
  return write_rollout_status(look);
}

bool DeploymentController::old_pods_running(const Look& look) const {
  return std::ranges::any_of(look.old_sets, [this](const ReplicaSetPtr& set) {
    return set->status().replicas() > 0
           || std::ranges::any_of(pods_.of_owner(set->metadata().uid()),
                                  [](const PodView* pod) { return !pod->finished(); });
  });
}

// Old sets are the revisions for a rollback. Keeps at most revisionHistoryLimit of them.
bool DeploymentController::clean_up(Look& look) {
  const api::DeploymentSpec& spec = look.deployment.spec();
  if (!spec.has_revision_history_limit()) return true;
  ReplicaSets history;
  std::ranges::copy_if(look.old_sets, std::back_inserter(history),
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
        server_.remove(server_.kinds().of<api::ReplicaSet>(), look.ns(), set->metadata().name(), api::DeleteOptions());
    if (!removed && removed.error().code != 404) return false;
  }
  return true;
}

}  // namespace rescheduler::sim
