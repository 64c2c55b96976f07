#include "sim/controllers/deployment/deployment_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "sim/controllers/deployment/deployment_reconcile_state.h"
#include "sim/controllers/keys.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/controllers/pods/pod_control.h"
#include "sim/controllers/pods/pod_template.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

namespace {

constexpr std::string_view kReporter = "deployment-controller";

const api::LabelSelector& selector_in(const Message& deployment) {
  return static_cast<const api::Deployment&>(deployment).spec().selector();
}

std::string set_name(const std::string& deployment, const std::string& hash) {
  constexpr std::size_t kMostNameBytes = 253;
  return deployment.substr(0, kMostNameBytes - 1 - hash.size()) + "-" + hash;
}

bool is_already_there(const StatusError& refusal) { return refusal.reason == "AlreadyExists"; }

}  // namespace

DeploymentController::DeploymentController(Server& server,
                                           PodIndex& pods,
                                           EventWriter& events,
                                           ControllerSettings settings)
    : server_(server),
      pods_(pods),
      events_(events),
      queue_(server.agenda(), settings.lag, [this](const std::string& key) { reconcile(key); }),
      watch_(server,
             nullptr,
             server.kinds().of<api::Deployment>(),
             &selector_in,
             [this](const std::string& key) { queue_.add(key); }),
      sets_(server,
            server.kinds().of<api::ReplicaSet>(),
            [this](const OwnedIndex::Entry* before, const OwnedIndex::Entry* after) { on_set(before, after); }),
      pod_changes_(pods.subscribe([this](const PodView* before, const PodView* after) {
        if (before != nullptr && (after == nullptr || after->finished())) on_pod_gone(*before);
      })) {}

DeploymentController::~DeploymentController() = default;

void DeploymentController::on_set(const OwnedIndex::Entry* before, const OwnedIndex::Entry* after) {
  const auto wake_owner = [this](const OwnedIndex::Entry& set) {
    if (set.owner.kind == "Deployment") queue_.add(set.ns + "/" + set.owner.name);
  };
  if (before != nullptr && (after == nullptr || after->owner.uid != before->owner.uid)) wake_owner(*before);
  if (after == nullptr) return;
  wake_owner(*after);
  if (after->owner.uid.empty()) {
    for (const std::string& name : watch_.selecting(after->ns, after->labels)) queue_.add(after->ns + "/" + name);
  }
}

// A Deployment with strategy Recreate continues when the last old pod is gone. No change of a ReplicaSet reports that.
void DeploymentController::on_pod_gone(const PodView& pod) {
  if (waiting_for_old_pods_.empty() || !pod.owned_by("ReplicaSet")) return;
  const OwnedIndex::Entry* set = sets_.find(pod.ns(), pod.owner()->name);
  if (set == nullptr) return;
  const std::string key = set->ns + "/" + set->owner.name;
  if (waiting_for_old_pods_.contains(key)) queue_.add(key);
}

void DeploymentController::note(const ReconcileState& state,
                                kube::EventType type,
                                std::string_view reason,
                                std::string text) {
  events_.note(kube::ref_to(state.deployment), type, reason, reason, std::move(text), kReporter);
}

void DeploymentController::reconcile(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const auto deployment = server_.find<api::Deployment>(ns, name);
  const kube::LabelSelector* selector = watch_.selector(ns, name);
  waiting_for_old_pods_.erase(key);
  if (!deployment || selector == nullptr) {
    queue_.forget_failures(key);
    return;
  }
  ReconcileState state{key, *deployment, false, {}, {}};
  if (selector->is_everything()) {
    note(state, kube::EventType::Warning, "SelectingAll",
         "This deployment is selecting all pods. A non-empty selector is required.");
    api::DeploymentStatus seen = state.deployment.status();
    seen.set_observed_generation(state.deployment.metadata().generation());
    static_cast<void>(store(state, seen));
    return;
  }
  const kube::LabelSelector own = *selector;  // the writes below can replace the watch's selector
  if (claim_sets(state, own) && act(state)) {
    queue_.forget_failures(key);
  } else {
    queue_.add_after_failure(key);
  }
}

bool DeploymentController::act(ReconcileState& state) {
  if (state.deployment.metadata().has_deletion_timestamp()) {
    return sync_revision(state, false) && write_status(state);
  }
  if (!check_paused(state) || !sync_revision(state, false)) return false;
  if (state.deployment.spec().paused() || is_scaling_event(state)) {
    if (!scale_all(state)) return false;
    if (state.deployment.spec().paused() && !clean_up(state)) return false;
    return write_status(state);
  }
  return is_rolling(state.deployment) ? roll(state) : recreate(state);
}

bool DeploymentController::claim_sets(ReconcileState& state, const kube::LabelSelector& selector) {
  const api::ObjectMeta& metadata = state.deployment.metadata();
  const bool dying = metadata.has_deletion_timestamp();
  std::vector<std::string> names;
  std::vector<std::string> released;
  std::vector<std::string> orphans;
  for (const OwnedIndex::Entry* set : sets_.of_owner(metadata.uid())) {
    (selector.matches(set->labels.lookup()) ? names : released).push_back(set->name);
  }
  if (!dying) {
    for (const OwnedIndex::Entry* set : sets_.orphans(state.ns(), selector)) orphans.push_back(set->name);
    for (const std::string& name : released) {
      static_cast<void>(server_.modify<api::ReplicaSet>(state.ns(), name, [&metadata](api::ReplicaSet& set) {
        remove_owner(*set.mutable_metadata(), metadata.uid());
      }));
    }
  }
  for (const std::string& name : orphans) {
    bool taken = false;
    const auto written = server_.modify<api::ReplicaSet>(state.ns(), name, [&](api::ReplicaSet& set) {
      taken = add_controller(*set.mutable_metadata(), controller_reference(state.deployment));
    });
    if (written && taken) names.push_back(name);
  }
  ReplicaSets sets;
  for (const std::string& name : names) {
    if (auto set = server_.find<api::ReplicaSet>(state.ns(), name)) sets.push_back(std::move(set));
  }
  sort_by_creation(sets);
  for (ReplicaSetPtr& set : sets) {
    const bool is_new = !state.new_set && same_template(set->spec().template_(), state.deployment.spec().template_());
    if (is_new) {
      state.new_set = std::move(set);
    } else {
      state.old_sets.push_back(std::move(set));
    }
  }
  return true;
}

// Time in the paused state must not count for the progress deadline.
bool DeploymentController::check_paused(ReconcileState& state) {
  if (!has_progress_deadline(state.deployment)) return true;
  const api::DeploymentCondition* progressing = find_condition(state.deployment.status(), "Progressing");
  if (progressing != nullptr && progressing->reason() == "ProgressDeadlineExceeded") return true;
  const bool known_paused = progressing != nullptr && progressing->reason() == "DeploymentPaused";
  const bool paused = state.deployment.spec().paused();
  if (paused == known_paused) return true;
  api::DeploymentStatus status = state.deployment.status();
  put_condition(status,
                make_condition("Progressing", "Unknown", paused ? "DeploymentPaused" : "DeploymentResumed",
                               paused ? "Deployment is paused" : "Deployment is resumed", server_.agenda().wall_now()));
  return store(state, status);
}

bool DeploymentController::sync_revision(ReconcileState& state, bool create) {
  const std::int64_t revision = max_revision(state.old_sets) + 1;
  if (state.new_set) return adopt_revision(state, revision);
  return !create || create_new_set(state, revision);
}

bool DeploymentController::adopt_revision(ReconcileState& state, std::int64_t revision) {
  api::ReplicaSet wanted = *state.new_set;
  const bool annotated = annotate_new_set(wanted, state.deployment, revision);
  if (annotated || wanted.spec().min_ready_seconds() != state.deployment.spec().min_ready_seconds()) {
    const auto written =
        server_.modify<api::ReplicaSet>(state.ns(), wanted.metadata().name(), [&](api::ReplicaSet& set) {
          *set.mutable_metadata()->mutable_annotations() = wanted.metadata().annotations();
          set.mutable_spec()->set_min_ready_seconds(state.deployment.spec().min_ready_seconds());
        });
    if (!written) return false;
    state.new_set = *written;
  }
  state.new_revision |= set_annotation(*state.deployment.mutable_metadata(), kRevisionAnnotation,
                                       std::to_string(revision_of(state.new_set->metadata())));
  api::DeploymentStatus status = state.deployment.status();
  if (has_progress_deadline(state.deployment) && find_condition(status, "Progressing") == nullptr) {
    put_condition(status, make_condition("Progressing", "True", "FoundNewReplicaSet",
                                         fmt::format("Found new replica set \"{}\"", wanted.metadata().name()),
                                         server_.agenda().wall_now()));
  }
  return store(state, status);
}

bool DeploymentController::create_new_set(ReconcileState& state, std::int64_t revision) {
  const api::Deployment& deployment = state.deployment;
  const std::string hash = template_hash(deployment.spec().template_(), deployment.status().collision_count());
  const std::string label(kTemplateHashLabel);
  api::ReplicaSet set;
  api::ReplicaSetSpec& spec = *set.mutable_spec();
  *spec.mutable_template_() = deployment.spec().template_();
  (*spec.mutable_template_()->mutable_metadata()->mutable_labels())[label] = hash;
  *spec.mutable_selector() = deployment.spec().selector();
  (*spec.mutable_selector()->mutable_match_labels())[label] = hash;
  spec.set_min_ready_seconds(deployment.spec().min_ready_seconds());
  spec.set_replicas(new_set_size(deployment, wanted_replicas(state.old_sets), 0));
  api::ObjectMeta& metadata = *set.mutable_metadata();
  metadata.set_name(set_name(state.name(), hash));
  metadata.set_namespace_(state.ns());
  *metadata.mutable_labels() = spec.template_().metadata().labels();
  *metadata.add_owner_references() = controller_reference(deployment);
  annotate_new_set(set, deployment, revision);
  set_replicas_annotations(set, deployment);

  auto created = server_.create(set);
  const WallTime now = server_.agenda().wall_now();
  api::DeploymentStatus status = deployment.status();
  if (!created) {
    if (is_already_there(created.error())) return resolve_collision(state, set);
    if (namespace_is_terminating(created.error())) return true;
    std::string text =
        fmt::format("Failed to create new replica set \"{}\": {}", metadata.name(), created.error().message);
    note(state, kube::EventType::Warning, "ReplicaSetCreateError", text);
    if (has_progress_deadline(deployment)) {
      put_condition(status, make_condition("Progressing", "False", "ReplicaSetCreateError", std::move(text), now));
      static_cast<void>(store(state, status));
    }
    return false;
  }
  state.new_set = *created;
  if (spec.replicas() > 0) {
    note(state, kube::EventType::Normal, "ScalingReplicaSet",
         fmt::format("Scaled up replica set {} from 0 to {}", metadata.name(), spec.replicas()));
  }
  state.new_revision |=
      set_annotation(*state.deployment.mutable_metadata(), kRevisionAnnotation, std::to_string(revision));
  if (has_progress_deadline(deployment)) {
    put_condition(status, make_condition("Progressing", "True", "NewReplicaSetCreated",
                                         fmt::format("Created new replica set \"{}\"", metadata.name()), now));
  }
  return store(state, status);
}

// The name is taken: by a ReplicaSet of this Deployment whose labels were changed, or by a ReplicaSet of another
// template with the same hash.
bool DeploymentController::resolve_collision(ReconcileState& state, const api::ReplicaSet& wanted) {
  const auto there = server_.find<api::ReplicaSet>(state.ns(), wanted.metadata().name());
  const api::OwnerReference* owner = there ? controller_of(there->metadata()) : nullptr;
  if (owner != nullptr && owner->uid() == state.deployment.metadata().uid()
      && same_template(there->spec().template_(), state.deployment.spec().template_())) {
    state.new_set = there;
    return true;
  }
  api::DeploymentStatus status = state.deployment.status();
  status.set_collision_count(status.collision_count() + 1);
  static_cast<void>(store(state, status));
  return false;
}

bool DeploymentController::is_scaling_event(const ReconcileState& state) const {
  return std::ranges::any_of(active_sets(state.all_sets()), [&state](const ReplicaSetPtr& set) {
    const auto desired = count_in_annotation(set->metadata(), kDesiredReplicasAnnotation);
    return desired && *desired != state.deployment.spec().replicas();
  });
}

}  // namespace rescheduler::sim
