// Updates the pods of a DaemonSet, and writes its status.
#include <algorithm>

#include "sim/controllers/amount_of.h"
#include "sim/controllers/daemon_set/daemon_set_reconcile_state.h"

namespace rescheduler::sim {

bool DaemonSetController::split(const ReconcileState& state,
                                const Node& node,
                                const PodView*& is_new,
                                const PodView*& is_old) const {
  is_new = nullptr;
  is_old = nullptr;
  for (const PodView* pod : node.pods) {
    if (pod->terminating()) continue;
    const PodView*& which = state.is_new(*pod) ? is_new : is_old;
    if (which != nullptr) return false;
    which = pod;
  }
  return true;
}

void DaemonSetController::update(ReconcileState& state) {
  const auto& strategy = state.spec().update_strategy();
  if (strategy.type() == "OnDelete") return;
  const auto wanted = static_cast<std::int32_t>(
      std::ranges::count_if(state.nodes, [](const auto& entry) { return entry.second.place == DaemonPlace::Run; }));
  const auto& rolling = strategy.rolling_update();
  const auto up = kube::IntOrString::Rounding::Up;
  const std::int32_t surge = rolling.has_max_surge() ? amount_of(rolling.max_surge(), wanted, up) : 0;
  std::int32_t unavailable = rolling.has_max_unavailable() ? amount_of(rolling.max_unavailable(), wanted, up) : 1;
  if (surge == 0 && unavailable == 0) unavailable = 1;
  if (surge == 0) {
    update_within_unavailability(state, unavailable);
  } else {
    update_with_surge(state, surge);
  }
}

// Deletes old pods. New pods are created after the old ones are gone.
void DaemonSetController::update_within_unavailability(ReconcileState& state, std::int32_t room) {
  std::vector<const PodView*> candidates;
  for (const auto& [name, node] : state.nodes) {
    if (node.pods.empty() && node.place != DaemonPlace::Run) continue;
    const PodView* is_new = nullptr;
    const PodView* is_old = nullptr;
    if (!split(state, node, is_new, is_old) || (is_new == nullptr) == (is_old == nullptr)) {
      --room;  // no pod or too many: the next reconcile corrects the number
    } else if (is_new != nullptr) {
      if (!available(state, *is_new)) --room;
    } else if (!available(state, *is_old)) {
      state.to_delete.push_back(is_old);  // its deletion costs no availability
      --room;
    } else {
      candidates.push_back(is_old);
    }
  }
  if (room <= 0) return;
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(room)));
  state.to_delete.insert(state.to_delete.end(), candidates.begin(), candidates.end());
}

// Creates new pods beside old ones. Old pods are deleted when the new ones are available.
void DaemonSetController::update_with_surge(ReconcileState& state, std::int32_t room) {
  std::vector<std::string> candidates;
  for (const auto& [name, node] : state.nodes) {
    const PodView* is_new = nullptr;
    const PodView* is_old = nullptr;
    if (!split(state, node, is_new, is_old)) {
      --room;
      continue;
    }
    if (is_old == nullptr) continue;
    const bool works = available(state, *is_old);
    if (is_new == nullptr) {
      if (node.place != DaemonPlace::Run) continue;  // DaemonPlace::Stay: keep the old pod
      (works ? candidates : state.to_create).emplace_back(name);
    } else if (!works || available(state, *is_new)) {
      state.to_delete.push_back(is_old);
    } else {
      --room;
    }
  }
  if (room <= 0) return;
  candidates.resize(std::min(candidates.size(), static_cast<std::size_t>(room)));
  state.to_create.insert(state.to_create.end(), candidates.begin(), candidates.end());
}

void DaemonSetController::write_status(ReconcileState& state) {
  std::int32_t desired = 0;
  std::int32_t current = 0;
  std::int32_t misplaced = 0;
  std::int32_t ready = 0;
  std::int32_t are_available = 0;
  std::int32_t updated = 0;
  std::set<std::string> in_use{name_of(state.revision)};
  const std::chrono::seconds min_ready{state.spec().min_ready_seconds()};
  const WallTime now = server_.agenda().wall_now();
  for (const auto& [name, node] : state.nodes) {
    for (const PodView* pod : node.pods) in_use.insert(state.name() + "-" + std::string(pod->revision()));
    if (!nodes_.contains(name)) continue;
    if (node.place != DaemonPlace::Run) {
      misplaced += !node.pods.empty();
      continue;
    }
    ++desired;
    if (node.pods.empty()) continue;
    ++current;
    const PodView& pod = *node.pods.front();
    ready += pod.ready();
    are_available += pod.available(min_ready, now);
    updated += state.is_new(pod);
    if (pod.ready() && !pod.available(min_ready, now)) {
      queue_.add_after(state.key, pod.ready_since() + min_ready - now);
    }
  }
  api::DaemonSetStatus status = state.set->status();
  status.set_observed_generation(state.set->metadata().generation());
  status.set_desired_number_scheduled(desired);
  status.set_current_number_scheduled(current);
  status.set_number_misscheduled(misplaced);
  status.set_number_ready(ready);
  status.set_number_available(are_available);
  status.set_number_unavailable(desired - are_available);
  status.set_updated_number_scheduled(updated);
  if (state.collision_count > 0) status.set_collision_count(state.collision_count);
  if (status.SerializeAsString() != state.set->status().SerializeAsString()) {
    const auto written = server_.modify_status<api::DaemonSet>(
        state.ns(), state.name(), [&status](api::DaemonSet& set) { *set.mutable_status() = status; });
    if (!written) state.fault = written.error().message;
  }
  const std::int32_t limit = state.spec().has_revision_history_limit() ? state.spec().revision_history_limit() : 10;
  history_.truncate(state.revisions, in_use, limit);
}

}  // namespace rescheduler::sim
