#include "sim/controllers/stateful_set/stateful_set_controller.h"

#include <algorithm>

#include "sim/controllers/amount_of.h"
#include "sim/controllers/keys.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/controllers/stateful_set/stateful_set_reconcile_state.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

namespace {

constexpr PodTexts kTexts{"Create Pod {pod} in StatefulSet {owner} successful",
                          "Create Pod {pod} in StatefulSet {owner} failed error: {error}",
                          "Delete Pod {pod} in StatefulSet {owner} successful",
                          "Delete Pod {pod} in StatefulSet {owner} failed error: {error}"};

const api::LabelSelector& selector_in(const Message& set) {
  return static_cast<const api::StatefulSet&>(set).spec().selector();
}

}  // namespace

StatefulSetController::StatefulSetController(Server& server,
                                             PodIndex& pods,
                                             EventWriter& events,
                                             ControllerSettings settings)
    : server_(server),
      pods_(pods),
      events_(events),
      queue_(server.agenda(), settings.lag, [this](const std::string& key) { reconcile(key); }),
      control_(
          server,
          events,
          "statefulset-controller",
          [this](const std::string& key) { queue_.add(key); },
          kTexts),
      history_(server, "controller.kubernetes.io/hash"),
      watch_(server, &pods, server.kinds().of<api::StatefulSet>(), &selector_in, [this](const std::string& key) {
        queue_.add(key);
      }) {}

StatefulSetController::~StatefulSetController() = default;

void StatefulSetController::reconcile(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const kube::LabelSelector* selector = watch_.selector(ns, name);
  ReconcileState state{key, server_.find<api::StatefulSet>(ns, name)};
  if (!state.set || selector == nullptr) {
    control_.forget(key);
    queue_.forget_failures(key);
    return;
  }
  const kube::LabelSelector own = *selector;  // the writes below can replace the watch's selector
  static_cast<void>(claim_pods(server_, pods_, *state.set, own,
                               [&state](const PodView& pod) { return ordinal_of(state.name(), pod.name()) >= 0; }));
  if (!find_revisions(state, own)) return queue_.add_after_failure(key);
  gather(state);
  if (control_.failed(key)) {
    state.fault = control_.take_fault(key);  // of pods that admission rejected since the last reconcile
  } else if (!control_.under_way(key) && !state.set->metadata().has_deletion_timestamp()) {
    act(state);
    if (control_.failed(key)) state.fault = control_.take_fault(key);
    gather(state);
  }
  write_status(state);
  look_again_when_available(state);
  if (!state.fault.empty()) return queue_.add_after_failure(key);
  if (!control_.under_way(key)) queue_.forget_failures(key);
}

bool StatefulSetController::find_revisions(ReconcileState& state, const kube::LabelSelector& selector) {
  state.revisions = history_.of(*state.set, selector);
  state.collision_count = state.set->status().collision_count();
  auto newest = history_.newest(*state.set, state.spec().template_(), state.revisions, state.collision_count);
  if (!newest) {
    if (state.collision_count != state.set->status().collision_count()) {
      static_cast<void>(server_.modify_status<api::StatefulSet>(
          state.ns(), state.name(),
          [&state](api::StatefulSet& set) { set.mutable_status()->set_collision_count(state.collision_count); }));
    }
    return false;
  }
  state.update = *newest;
  const auto current = std::ranges::find_if(state.revisions, [&state](const RevisionPtr& revision) {
    return name_of(revision) == state.set->status().current_revision();
  });
  state.current = current == state.revisions.end() ? state.update : *current;
  return true;
}

// Assigns the pods of the index to ordinals.
void StatefulSetController::gather(ReconcileState& state) {
  state.slots.assign(static_cast<std::size_t>(std::max(0, state.spec().replicas())), nullptr);
  state.condemned.clear();
  const kube::LabelSelector* selector = watch_.selector(state.ns(), state.name());
  for (const PodView* pod : pods_.of_owner(state.set->metadata().uid())) {
    const int ordinal = ordinal_of(state.name(), pod->name());
    if (ordinal < 0 || selector == nullptr || !selector->matches(pod->labels().lookup())) continue;
    const int slot = ordinal - state.start();
    if (slot >= 0 && static_cast<std::size_t>(slot) < state.slots.size()) {
      state.slots[static_cast<std::size_t>(slot)] = pod;
    } else {
      state.condemned.push_back(pod);
    }
  }
  std::ranges::sort(state.condemned, std::ranges::greater(),
                    [&state](const PodView* pod) { return ordinal_of(state.name(), pod->name()); });
}

bool StatefulSetController::available(const ReconcileState& state, const PodView& pod) const {
  return pod.available(std::chrono::seconds{state.spec().min_ready_seconds()}, server_.agenda().wall_now());
}

void StatefulSetController::act(ReconcileState& state) {
  for (std::size_t slot = 0; slot < state.slots.size(); ++slot) {
    const Step step = tend(state, slot);
    if (!state.fault.empty() || control_.failed(state.key)) return;
    if (step == Step::Wait && state.ordered()) return;
  }
  // With OrderedReady, an unavailable surplus pod waits while a surplus pod with a lower ordinal is unavailable too, as
  // in the real controller.
  const auto down = std::ranges::find_if(state.condemned.rbegin(), state.condemned.rend(), [&](const PodView* pod) {
    return pod->terminating() || !available(state, *pod);
  });
  const PodView* lowest_down = down == state.condemned.rend() ? nullptr : *down;
  for (const PodView* pod : state.condemned) {
    const Step step = take_away(state, *pod, pod == lowest_down);
    if (!state.fault.empty()) return;
    if (step == Step::Wait && state.ordered()) return;
  }
  if (state.spec().update_strategy().type() != "OnDelete") update_pods(state);
}

StatefulSetController::Step StatefulSetController::tend(ReconcileState& state, std::size_t slot) {
  const int ordinal = state.start() + static_cast<int>(slot);
  const PodView* pod = state.slots[slot];
  if (pod == nullptr) {
    if (!has_stale_claim(state, ordinal)) create_pod(state, ordinal);
    return Step::Wait;
  }
  if (pod->finished()) {  // a succeeded pod is replaced too
    if (!pod->terminating()) remove_pod(state, *pod);
    state.slots[slot] = nullptr;
    return Step::Wait;
  }
  if (pod->phase() == PodPhase::Pending && !create_claims(state, ordinal)) return Step::Wait;
  if (state.ordered() && (pod->terminating() || !available(state, *pod))) return Step::Wait;
  own_claims(state, *pod, ordinal);
  if (pod->label("statefulset.kubernetes.io/pod-name") != pod->name()) {
    static_cast<void>(server_.modify<api::Pod>(state.ns(), pod->name(), [ordinal](api::Pod& changed) {
      auto& labels = *changed.mutable_metadata()->mutable_labels();
      labels["statefulset.kubernetes.io/pod-name"] = changed.metadata().name();
      labels["apps.kubernetes.io/pod-index"] = std::to_string(ordinal);
    }));
  }
  return Step::GoOn;
}

StatefulSetController::Step StatefulSetController::take_away(ReconcileState& state,
                                                             const PodView& pod,
                                                             bool may_be_down) {
  if (pod.terminating()) return Step::Wait;
  if (state.ordered() && !may_be_down && !available(state, pod)) return Step::Wait;
  own_claims(state, pod, ordinal_of(state.name(), pod.name()));
  remove_pod(state, pod);
  return Step::Wait;
}

// From the highest ordinal, with at most maxUnavailable pods unavailable at once (default: one).
void StatefulSetController::update_pods(ReconcileState& state) {
  const api::RollingUpdateStatefulSetStrategy& rolling = state.spec().update_strategy().rolling_update();
  const auto partition = static_cast<std::size_t>(std::max(0, rolling.partition()));
  int room = 1;
  if (rolling.has_max_unavailable()) {
    room =
        std::max(1, amount_of(rolling.max_unavailable(), state.spec().replicas(), kube::IntOrString::Rounding::Down));
  }
  const auto is_down = [&](const PodView* pod) {
    return pod == nullptr || pod->terminating() || !available(state, *pod);
  };
  const auto is_old = [&](const PodView* pod) {
    return pod != nullptr && !pod->terminating() && pod->revision() != name_of(state.update);
  };
  room -= static_cast<int>(std::ranges::count_if(state.slots, is_down));
  for (std::size_t slot = state.slots.size(); slot > partition; --slot) {
    const PodView*& pod = state.slots[slot - 1];
    if (!is_old(pod)) continue;
    // With Parallel, unavailable pods are deleted without using maxUnavailable.
    const bool free = !state.ordered() && is_down(pod);
    if (!free && (room <= 0 || (is_down(pod) && !state.ordered()))) continue;
    remove_pod(state, *pod);
    pod = nullptr;
    if (!free) --room;
    if (!state.fault.empty()) return;
  }
}

void StatefulSetController::remove_pod(ReconcileState& state, const PodView& pod) {
  std::string fault = control_.remove(*state.set, pod);
  if (!fault.empty()) state.fault = std::move(fault);
}

void StatefulSetController::write_status(ReconcileState& state) {
  api::StatefulSetStatus status = state.set->status();
  std::int32_t replicas = 0;
  std::int32_t ready = 0;
  std::int32_t are_available = 0;
  std::int32_t current = 0;
  std::int32_t updated = 0;
  std::set<std::string> in_use{name_of(state.current), name_of(state.update)};
  const auto count = [&](const PodView& pod) {
    ++replicas;
    in_use.emplace(pod.revision());
    if (pod.phase() == PodPhase::Running && pod.ready()) {
      ++ready;
      are_available += available(state, pod);
    }
    if (pod.terminating()) return;
    current += pod.revision() == name_of(state.current);
    updated += pod.revision() == name_of(state.update);
  };
  for (const PodView* pod : state.slots) {
    if (pod != nullptr) count(*pod);
  }
  for (const PodView* pod : state.condemned) count(*pod);
  status.set_observed_generation(state.set->metadata().generation());
  status.set_replicas(replicas);
  status.set_ready_replicas(ready);
  status.set_available_replicas(are_available);
  status.set_current_replicas(current);
  status.set_updated_replicas(updated);
  status.set_current_revision(name_of(state.current));
  status.set_update_revision(name_of(state.update));
  status.set_collision_count(state.collision_count);
  const std::int32_t wanted = state.spec().replicas();
  if (updated == wanted && ready == wanted && replicas == wanted) {  // the update is complete
    status.set_current_replicas(updated);
    status.set_current_revision(name_of(state.update));
  }
  if (status.SerializeAsString() != state.set->status().SerializeAsString()) {
    const auto written = server_.modify_status<api::StatefulSet>(
        state.ns(), state.name(), [&status](api::StatefulSet& set) { *set.mutable_status() = status; });
    if (!written) state.fault = written.error().message;
  }
  const std::int32_t limit = state.spec().has_revision_history_limit() ? state.spec().revision_history_limit() : 10;
  history_.truncate(state.revisions, in_use, limit);
}

void StatefulSetController::look_again_when_available(const ReconcileState& state) {
  const std::chrono::seconds min_ready{state.spec().min_ready_seconds()};
  const WallTime now = server_.agenda().wall_now();
  for (const PodView* pod : state.slots) {
    if (pod == nullptr || !pod->ready() || pod->available(min_ready, now)) continue;
    queue_.add_after(state.key, pod->ready_since() + min_ready - now);
  }
}

}  // namespace rescheduler::sim
