#include "sim/controllers/replica_set/replica_set_controller.h"

#include <algorithm>

#include "kube/proto/apps.pb.h"
#include "sim/controllers/keys.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/controllers/pods/pod_template.h"
#include "sim/controllers/replica_set/scale_down_order.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

namespace {

constexpr std::string_view kReporter = "replicaset-controller";
constexpr std::size_t kMostPerReconcile = 500;  // creations or deletions, as in the real controller
constexpr std::string_view kReplicaFailure = "ReplicaFailure";

const api::LabelSelector& selector_in(const Message& set) {
  return static_cast<const api::ReplicaSet&>(set).spec().selector();
}

std::int32_t count_if(const std::vector<const PodView*>& pods, const std::function<bool(const PodView&)>& what) {
  return static_cast<std::int32_t>(std::ranges::count_if(pods, [&what](const PodView* pod) { return what(*pod); }));
}

bool has_labels_of(const api::PodTemplateSpec& pod_template, const PodView& pod) {
  return std::ranges::all_of(pod_template.metadata().labels(), [&pod](const auto& label) {
    const auto found = pod.labels().find(label.first);
    return found && *found == label.second;
  });
}

// All fields except the condition.
api::ReplicaSetStatus counted(const api::ReplicaSet& set,
                              const std::vector<const PodView*>& active,
                              std::int32_t terminating,
                              WallTime now) {
  const std::chrono::seconds min_ready{set.spec().min_ready_seconds()};
  api::ReplicaSetStatus status = set.status();
  status.set_replicas(static_cast<std::int32_t>(active.size()));
  status.set_fully_labeled_replicas(
      count_if(active, [&set](const PodView& pod) { return has_labels_of(set.spec().template_(), pod); }));
  status.set_ready_replicas(count_if(active, [](const PodView& pod) { return pod.ready(); }));
  status.set_available_replicas(count_if(active, [&](const PodView& pod) { return pod.available(min_ready, now); }));
  status.set_terminating_replicas(terminating);
  status.set_observed_generation(set.metadata().generation());
  return status;
}

void set_failure(api::ReplicaSetStatus& status, const std::optional<std::string>& fault, bool missing, WallTime now) {
  auto& conditions = *status.mutable_conditions();
  const auto known = std::ranges::find(conditions, kReplicaFailure, &api::ReplicaSetCondition::type);
  if (!fault) {
    if (known != conditions.end()) conditions.erase(known);
    return;
  }
  if (known != conditions.end()) return;  // the first failure is kept, as in the real controller
  api::ReplicaSetCondition& condition = *conditions.Add();
  condition.set_type(std::string(kReplicaFailure));
  condition.set_status("True");
  condition.set_reason(missing ? "FailedCreate" : "FailedDelete");
  condition.set_message(*fault);
  *condition.mutable_last_transition_time() = stamp(now);
}

}  // namespace

ReplicaSetController::ReplicaSetController(Server& server,
                                           PodIndex& pods,
                                           EventWriter& events,
                                           ControllerSettings settings)
    : server_(server),
      pods_(pods),
      queue_(server.agenda(), settings.lag, [this](const std::string& key) { reconcile(key); }),
      control_(server, events, std::string(kReporter), [this](const std::string& key) { queue_.add(key); }),
      sets_(server, server.kinds().of<api::ReplicaSet>()),
      watch_(server, &pods, server.kinds().of<api::ReplicaSet>(), &selector_in, [this](const std::string& key) {
        queue_.add(key);
      }) {}

void ReplicaSetController::reconcile(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const auto set = server_.find<api::ReplicaSet>(ns, name);
  const kube::LabelSelector* selector = watch_.selector(ns, name);
  if (!set || selector == nullptr) {
    control_.forget(key);
    queue_.forget_failures(key);
    return;
  }
  const std::vector<const PodView*> active =
      claim_pods(server_, pods_, *set, *selector, [](const PodView& pod) { return pod.active(); });
  const auto owned = pods_.of_owner(set->metadata().uid());
  const auto terminating = std::ranges::count_if(owned, [selector](const PodView* pod) {
    return pod->terminating() && !pod->finished() && selector->matches(pod->labels().lookup());
  });
  const WallTime now = server_.agenda().wall_now();
  const auto wanted = static_cast<std::size_t>(std::max(0, set->spec().replicas()));
  api::ReplicaSetStatus status = counted(*set, active, static_cast<std::int32_t>(terminating), now);
  look_again_when_available(key, *set, active);

  std::optional<std::string> fault;
  if (control_.failed(key)) {
    fault = control_.take_fault(key);  // of pods that admission rejected since the last reconcile
  } else if (!control_.under_way(key) && !set->metadata().has_deletion_timestamp()) {
    const std::size_t count = active.size();
    if (count < wanted) fault = create_missing(key, *set, wanted - count);
    if (count > wanted) fault = delete_surplus(*set, active, count - wanted);
  }
  // A creation in admission can still fail: until its answer the condition stays.
  if (!control_.under_way(key)) set_failure(status, fault, static_cast<std::size_t>(status.replicas()) < wanted, now);
  if (status.SerializeAsString() != set->status().SerializeAsString()) {
    static_cast<void>(server_.modify_status<api::ReplicaSet>(
        ns, name, [&status](api::ReplicaSet& stored) { *stored.mutable_status() = status; }));
  }
  if (fault) {
    queue_.add_after_failure(key);
  } else if (!control_.under_way(key)) {
    queue_.forget_failures(key);
  }
}

std::optional<std::string> ReplicaSetController::create_missing(const std::string& key,
                                                                const api::ReplicaSet& set,
                                                                std::size_t missing) {
  const api::OwnerReference owner = controller_reference(set);
  const std::string prefix = pod_name_prefix(set.metadata().name());
  for (std::size_t i = 0; i < std::min(missing, kMostPerReconcile) && !control_.failed(key); ++i) {
    auto pod = pod_from_template(set.spec().template_(), set.metadata().namespace_(), owner);
    pod->mutable_metadata()->set_generate_name(prefix);
    control_.create(key, set, std::move(pod));
  }
  if (control_.failed(key)) return control_.take_fault(key);
  return std::nullopt;
}

std::optional<std::string> ReplicaSetController::delete_surplus(const api::ReplicaSet& set,
                                                                std::vector<const PodView*> active,
                                                                std::size_t surplus) {
  if (surplus < active.size()) sort_for_deletion(active, related_pods(set), server_.agenda().wall_now());
  active.resize(std::min({surplus, active.size(), kMostPerReconcile}));
  std::optional<std::string> fault;
  for (const PodView* pod : active) {
    std::string failed = control_.remove(set, *pod);
    if (!failed.empty()) fault = std::move(failed);
  }
  return fault;
}

// The pods of all sets with the same owner: in a rollout, pods of several sets share the nodes.
std::vector<const PodView*> ReplicaSetController::related_pods(const api::ReplicaSet& set) const {
  std::vector<const PodView*> related;
  const auto add = [&](std::string_view uid) {
    const auto pods = pods_.of_owner(uid);
    related.insert(related.end(), pods.begin(), pods.end());
  };
  const api::OwnerReference* owner = controller_of(set.metadata());
  if (owner == nullptr) {
    add(set.metadata().uid());
  } else {
    for (const OwnedIndex::Entry* sibling : sets_.of_owner(owner->uid())) add(sibling->uid);
  }
  return related;
}

void ReplicaSetController::look_again_when_available(const std::string& key,
                                                     const api::ReplicaSet& set,
                                                     const std::vector<const PodView*>& active) {
  const std::chrono::seconds min_ready{set.spec().min_ready_seconds()};
  const WallTime now = server_.agenda().wall_now();
  for (const PodView* pod : active) {
    if (!pod->ready() || pod->available(min_ready, now)) continue;
    queue_.add_after(key, pod->ready_since() + min_ready - now);
  }
}

}  // namespace rescheduler::sim
