#include "sim/controllers/stateful_set/stateful_set_controller.h"

#include <algorithm>

#include "sim/controllers/amount_of.h"
#include "sim/controllers/keys.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/controllers/stateful_set/stateful_set_look.h"
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
  Look look{key, server_.find<api::StatefulSet>(ns, name)};
  if (!look.set || selector == nullptr) {
    control_.forget(key);
    queue_.forget_failures(key);
    return;
  }
  const kube::LabelSelector own = *selector;  // the writes below can replace the watch's selector
  static_cast<void>(claim_pods(server_, pods_, *look.set, own,
                               [&look](const PodView& pod) { return ordinal_of(look.name(), pod.name()) >= 0; }));
  if (!find_revisions(look, own)) return queue_.add_after_failure(key);
  gather(look);
  if (control_.failed(key)) {
    look.fault = control_.take_fault(key);  // of pods that admission rejected since the last reconcile
  } else if (!control_.under_way(key) && !look.set->metadata().has_deletion_timestamp()) {
    act(look);
    if (control_.failed(key)) look.fault = control_.take_fault(key);
    gather(look);
  }
  write_status(look);
  look_again_when_available(look);
  if (!look.fault.empty()) return queue_.add_after_failure(key);
  if (!control_.under_way(key)) queue_.forget_failures(key);
}

bool StatefulSetController::find_revisions(Look& look, const kube::LabelSelector& selector) {
  look.revisions = history_.of(*look.set, selector);
  look.collision_count = look.set->status().collision_count();
  auto newest = history_.newest(*look.set, look.spec().template_(), look.revisions, look.collision_count);
  if (!newest) {
    if (look.collision_count != look.set->status().collision_count()) {
      static_cast<void>(server_.modify_status<api::StatefulSet>(look.ns(), look.name(), [&look](api::StatefulSet& set) {
        set.mutable_status()->set_collision_count(look.collision_count);
      }));
    }
    return false;
  }
  look.update = *newest;
  const auto current = std::ranges::find_if(look.revisions, [&look](const RevisionPtr& revision) {
    return name_of(revision) == look.set->status().current_revision();
  });
  look.current = current == look.revisions.end() ? look.update : *current;
  return true;
}

// Assigns the pods of the index to ordinals.
void StatefulSetController::gather(Look& look) {
  look.slots.assign(static_cast<std::size_t>(std::max(0, look.spec().replicas())), nullptr);
  look.condemned.clear();
  const kube::LabelSelector* selector = watch_.selector(look.ns(), look.name());
  for (const PodView* pod : pods_.of_owner(look.set->metadata().uid())) {
    const int ordinal = ordinal_of(look.name(), pod->name());
    if (ordinal < 0 || selector == nullptr || !selector->matches(pod->labels().lookup())) continue;
    const int slot = ordinal - look.start();
    if (slot >= 0 && static_cast<std::size_t>(slot) < look.slots.size()) {
      look.slots[static_cast<std::size_t>(slot)] = pod;
    } else {
      look.condemned.push_back(pod);
    }
  }
  std::ranges::sort(look.condemned, std::ranges::greater(),
                    [&look](const PodView* pod) { return ordinal_of(look.name(), pod->name()); });
}

bool StatefulSetController::available(const Look& look, const PodView& pod) const {
  return pod.available(std::chrono::seconds{look.spec().min_ready_seconds()}, server_.agenda().wall_now());
}

void StatefulSetController::act(Look& look) {
  for (std::size_t slot = 0; slot < look.slots.size(); ++slot) {
    const Step step = tend(look, slot);
    if (!look.fault.empty() || control_.failed(look.key)) return;
    if (step == Step::Wait && look.ordered()) return;
  }
  // Of unavailable surplus pods only the lowest can be deleted; the others wait, because two at once can cost a quorum.
  const auto down = std::ranges::find_if(look.condemned.rbegin(), look.condemned.rend(), [&](const PodView* pod) {
    return pod->terminating() || !available(look, *pod);
  });
  const PodView* lowest_down = down == look.condemned.rend() ? nullptr : *down;
  for (const PodView* pod : look.condemned) {
    const Step step = take_away(look, *pod, pod == lowest_down);
    if (!look.fault.empty()) return;
    if (step == Step::Wait && look.ordered()) return;
  }
  if (look.spec().update_strategy().type() != "OnDelete") update_pods(look);
}

StatefulSetController::Step StatefulSetController::tend(Look& look, std::size_t slot) {
  const int ordinal = look.start() + static_cast<int>(slot);
  const PodView* pod = look.slots[slot];
  if (pod == nullptr) {
    if (!has_stale_claim(look, ordinal)) create_pod(look, ordinal);
    return Step::Wait;
  }
  if (pod->finished()) {  // in any final phase: the set wants it running
    if (!pod->terminating()) remove_pod(look, *pod);
    look.slots[slot] = nullptr;
    return Step::Wait;
  }
  if (pod->phase() == PodPhase::Pending && !create_claims(look, ordinal)) return Step::Wait;
  if (look.ordered() && (pod->terminating() || !available(look, *pod))) return Step::Wait;
  own_claims(look, *pod, ordinal);
  if (pod->label("statefulset.kubernetes.io/pod-name") != pod->name()) {
    static_cast<void>(server_.modify<api::Pod>(look.ns(), pod->name(), [ordinal](api::Pod& changed) {
      auto& labels = *changed.mutable_metadata()->mutable_labels();
      labels["statefulset.kubernetes.io/pod-name"] = changed.metadata().name();
      labels["apps.kubernetes.io/pod-index"] = std::to_string(ordinal);
    }));
  }
  return Step::GoOn;
}

StatefulSetController::Step StatefulSetController::take_away(Look& look, const PodView& pod, bool may_be_down) {
  if (pod.terminating()) return Step::Wait;
  if (look.ordered() && !may_be_down && !available(look, pod)) return Step::Wait;
  own_claims(look, pod, ordinal_of(look.name(), pod.name()));
  remove_pod(look, pod);
  return Step::Wait;
}

// From the highest ordinal, with at most maxUnavailable pods unavailable at once (default: one).
void StatefulSetController::update_pods(Look& look) {
  const api::RollingUpdateStatefulSetStrategy& rolling = look.spec().update_strategy().rolling_update();
  const auto partition = static_cast<std::size_t>(std::max(0, rolling.partition()));
  int room = 1;
  if (rolling.has_max_unavailable()) {
    room = std::max(1, amount_of(rolling.max_unavailable(), look.spec().replicas(), kube::IntOrString::Rounding::Down));
  }
  const auto is_down = [&](const PodView* pod) {
    return pod == nullptr || pod->terminating() || !available(look, *pod);
  };
  const auto is_old = [&](const PodView* pod) {
    return pod != nullptr && !pod->terminating() && pod->revision() != name_of(look.update);
  };
  room -= static_cast<int>(std::ranges::count_if(look.slots, is_down));
  for (std::size_t slot = look.slots.size(); slot > partition; --slot) {
    const PodView*& pod = look.slots[slot - 1];
    if (!is_old(pod)) continue;
    // With Parallel, unavailable pods are deleted without using maxUnavailable.
    const bool free = !look.ordered() && is_down(pod);
    if (!free && (room <= 0 || (is_down(pod) && !look.ordered()))) continue;
    remove_pod(look, *pod);
    pod = nullptr;
    if (!free) --room;
    if (!look.fault.empty()) return;
  }
}

void StatefulSetController::remove_pod(Look& look, const PodView& pod) {
  std::string fault = control_.remove(*look.set, pod);
  if (!fault.empty()) look.fault = std::move(fault);
}

void StatefulSetController::write_status(Look& look) {
  api::StatefulSetStatus status = look.set->status();
  std::int32_t replicas = 0;
  std::int32_t ready = 0;
  std::int32_t are_available = 0;
  std::int32_t current = 0;
  std::int32_t updated = 0;
  std::set<std::string> in_use{name_of(look.current), name_of(look.update)};
  const auto count = [&](const PodView& pod) {
    ++replicas;
    in_use.emplace(pod.revision());
    if (pod.phase() == PodPhase::Running && pod.ready()) {
      ++ready;
      are_available += available(look, pod);
    }
    if (pod.terminating()) return;
    current += pod.revision() == name_of(look.current);
    updated += pod.revision() == name_of(look.update);
  };
  for (const PodView* pod : look.slots) {
    if (pod != nullptr) count(*pod);
  }
  for (const PodView* pod : look.condemned) count(*pod);
  status.set_observed_generation(look.set->metadata().generation());
  status.set_replicas(replicas);
  status.set_ready_replicas(ready);
  status.set_available_replicas(are_available);
  status.set_current_replicas(current);
  status.set_updated_replicas(updated);
  status.set_current_revision(name_of(look.current));
  status.set_update_revision(name_of(look.update));
  status.set_collision_count(look.collision_count);
  const std::int32_t wanted = look.spec().replicas();
  if (updated == wanted && ready == wanted && replicas == wanted) {  // the update is complete
    status.set_current_replicas(updated);
    status.set_current_revision(name_of(look.update));
  }
  if (status.SerializeAsString() != look.set->status().SerializeAsString()) {
    const auto written = server_.modify_status<api::StatefulSet>(
        look.ns(), look.name(), [&status](api::StatefulSet& set) { *set.mutable_status() = status; });
    if (!written) look.fault = written.error().message;
  }
  const std::int32_t limit = look.spec().has_revision_history_limit() ? look.spec().revision_history_limit() : 10;
  history_.truncate(look.revisions, in_use, limit);
}

void StatefulSetController::look_again_when_available(const Look& look) {
  const std::chrono::seconds min_ready{look.spec().min_ready_seconds()};
  const WallTime now = server_.agenda().wall_now();
  for (const PodView* pod : look.slots) {
    if (pod == nullptr || !pod->ready() || pod->available(min_ready, now)) continue;
    queue_.add_after(look.key, pod->ready_since() + min_ready - now);
  }
}

}  // namespace rescheduler::sim
