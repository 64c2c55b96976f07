#include "sim/controllers/daemon_set/daemon_set_controller.h"

#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "sim/controllers/daemon_set/daemon_set_reconcile_state.h"
#include "sim/controllers/keys.h"
#include "sim/controllers/pods/ownership.h"
#include "sim/controllers/pods/pod_template.h"
#include "sim/server/conditions.h"

namespace rescheduler::sim {

namespace {

constexpr std::string_view kReporter = "daemonset-controller";
constexpr std::size_t kMostPerReconcile = 250;  // creations or deletions, as in the real controller
constexpr Agenda::Duration kFirstWait = std::chrono::seconds{1};
constexpr Agenda::Duration kLongestWait = std::chrono::minutes{15};

const api::LabelSelector& selector_in(const Message& set) {
  return static_cast<const api::DaemonSet&>(set).spec().selector();
}

}  // namespace

DaemonSetController::DaemonSetController(Server& server,
                                         PodIndex& pods,
                                         EventWriter& events,
                                         ControllerSettings settings)
    : server_(server),
      pods_(pods),
      events_(events),
      queue_(server.agenda(), settings.lag, [this](const std::string& key) { reconcile(key); }),
      control_(server, events, std::string(kReporter), [this](const std::string& key) { queue_.add(key); }),
      history_(server, kRevisionLabel),
      watch_(server, &pods, server.kinds().of<api::DaemonSet>(), &selector_in, [this](const std::string& key) {
        queue_.add(key);
      }) {
  const auto follow = [this](const Kind& kind, void (DaemonSetController::*take_in)(const Change&)) {
    server_.store().for_each(kind, "", "", [&](const VersionPtr& version) {
      (this->*take_in)(Change{version->number(), Change::What::Added, nullptr, version});
      return true;
    });
    return server_.store().subscribe(&kind, [this, take_in](const Change& change) { (this->*take_in)(change); });
  };
  set_changes_ = follow(server.kinds().of<api::DaemonSet>(), &DaemonSetController::on_set);
  node_changes_ = follow(server.kinds().of<api::Node>(), &DaemonSetController::on_node);
}

DaemonSetController::~DaemonSetController() = default;

void DaemonSetController::on_set(const Change& change) {
  const auto set = change.after->as<api::DaemonSet>();
  const std::string key = set->metadata().namespace_() + "/" + set->metadata().name();
  eligibilities_.erase(key);
  if (change.what == Change::What::Deleted) return;
  eligibilities_.emplace(key, DaemonEligibility(set->spec().template_().spec()));
}

// Nodes change every few seconds; wakes only the sets that a change concerns.
void DaemonSetController::on_node(const Change& change) {
  const auto node = change.after->as<api::Node>();
  const std::string& name = node->metadata().name();
  const auto known = nodes_.find(name);
  if (change.what == Change::What::Deleted) {
    if (known != nodes_.end()) nodes_.erase(known);
    for (const auto& [key, eligibility] : eligibilities_) queue_.add(key);
    return;
  }
  NodeTraits traits = traits_of(*node);
  for (const auto& [key, eligibility] : eligibilities_) {
    const DaemonPlace before = known == nodes_.end() ? DaemonPlace::Never : eligibility.on(name, known->second);
    if (eligibility.on(name, traits) != before) queue_.add(key);
  }
  nodes_.insert_or_assign(name, std::move(traits));
}

void DaemonSetController::reconcile(const std::string& key) {
  const auto [ns, name] = split_key(key);
  const kube::LabelSelector* selector = watch_.selector(ns, name);
  ReconcileState state{key, server_.find<api::DaemonSet>(ns, name)};
  if (!state.set || selector == nullptr) {
    control_.forget(key);
    queue_.forget_failures(key);
    std::erase_if(failed_, [&key](const auto& entry) { return entry.first.starts_with(key + "/"); });
    return;
  }
  const kube::LabelSelector own = *selector;  // the writes below can replace the watch's selector
  if (own.is_everything()) {
    events_.note(kube::ref_to(*state.set), kube::EventType::Warning, "SelectingAll", "",
                 "This daemon set is selecting all pods. A non-empty selector is required.", kReporter);
    return;
  }
  static_cast<void>(claim_pods(server_, pods_, *state.set, own));
  if (!find_revision(state, own)) return queue_.add_after_failure(key);
  gather(state);
  if (control_.failed(key)) {
    state.fault = control_.take_fault(key);  // of pods that admission rejected since the last reconcile
  } else if (!control_.under_way(key) && !state.set->metadata().has_deletion_timestamp()) {
    manage(state);
    if (carry_out(state)) gather(state);
    if (state.fault.empty() && !control_.under_way(key)) {
      update(state);
      if (carry_out(state)) gather(state);
    }
  }
  write_status(state);
  if (!state.fault.empty()) return queue_.add_after_failure(key);
  if (!control_.under_way(key)) queue_.forget_failures(key);
}

bool DaemonSetController::find_revision(ReconcileState& state, const kube::LabelSelector& selector) {
  state.revisions = history_.of(*state.set, selector);
  state.collision_count = state.set->status().collision_count();
  auto newest = history_.newest(*state.set, state.spec().template_(), state.revisions, state.collision_count);
  if (!newest) {
    if (state.collision_count != state.set->status().collision_count()) {
      static_cast<void>(server_.modify_status<api::DaemonSet>(state.ns(), state.name(), [&state](api::DaemonSet& set) {
        set.mutable_status()->set_collision_count(state.collision_count);
      }));
    }
    return false;
  }
  state.revision = *newest;
  state.hash = history_.hash_of(state.revision);
  return true;
}

void DaemonSetController::gather(ReconcileState& state) {
  state.nodes.clear();
  const auto eligibility = eligibilities_.find(state.key);
  for (const auto& [name, traits] : nodes_) {
    Node& node = state.nodes.emplace_hint(state.nodes.end(), name, Node())->second;
    if (eligibility != eligibilities_.end()) node.place = eligibility->second.on(name, traits);
  }
  const kube::LabelSelector* selector = watch_.selector(state.ns(), state.name());
  for (const PodView* pod : pods_.of_owner(state.set->metadata().uid())) {
    if (selector == nullptr || !selector->matches(pod->labels().lookup())) continue;
    if (pod->finished() && pod->terminating()) continue;
    state.nodes[pod->target_node()].pods.push_back(pod);
  }
  for (auto& [name, node] : state.nodes) {
    if (node.pods.size() < 2) continue;
    std::ranges::sort(node.pods, {}, [](const PodView* pod) { return std::tuple(pod->created(), pod->name()); });
  }
}

bool DaemonSetController::available(const ReconcileState& state, const PodView& pod) const {
  return pod.available(std::chrono::seconds{state.spec().min_ready_seconds()}, server_.agenda().wall_now());
}

void DaemonSetController::manage(ReconcileState& state) {
  for (const auto& [name, node] : state.nodes) manage_node(state, name, node);
}

void DaemonSetController::manage_node(ReconcileState& state, std::string_view name, const Node& node) {
  if (!nodes_.contains(name)) {  // node deleted: unbound pods never start there; PodCleanup deletes bound pods
    std::ranges::copy_if(node.pods, std::back_inserter(state.to_delete),
                         [](const PodView* pod) { return !pod->bound() && !pod->terminating(); });
    return;
  }
  if (node.place == DaemonPlace::Never) {
    std::ranges::copy_if(node.pods, std::back_inserter(state.to_delete),
                         [](const PodView* pod) { return !pod->terminating(); });
    return;
  }
  if (node.pods.empty()) {
    if (node.place == DaemonPlace::Run) state.to_create.emplace_back(name);
    return;
  }
  std::vector<const PodView*> running;
  for (const PodView* pod : node.pods) {
    if (pod->terminating()) continue;
    if (!pod->finished()) {
      running.push_back(pod);
      continue;
    }
    const bool failed = pod->phase() == PodPhase::Failed;
    if (failed && !may_replace_failed(state, name)) continue;
    events_.note(kube::ref_to(*state.set), failed ? kube::EventType::Warning : kube::EventType::Normal,
                 failed ? "FailedDaemonPod" : "SucceededDaemonPod", "",
                 fmt::format("Found {} daemon pod {} on node {}, will try to {} it", failed ? "failed" : "succeeded",
                             pod->key(), name, failed ? "kill" : "delete"),
                 kReporter);
    state.to_delete.push_back(pod);
  }
  prune(state, std::move(running));
}

// Keeps one pod per node. With surge, a ready old pod can stay beside a new pod that is not available yet.
void DaemonSetController::prune(ReconcileState& state, std::vector<const PodView*> running) {
  if (running.size() < 2) return;
  const auto& rolling = state.spec().update_strategy().rolling_update();
  const bool surges = state.spec().update_strategy().type() == "RollingUpdate" && rolling.has_max_surge()
                      && (rolling.max_surge().int_val() > 0
                          || (rolling.max_surge().type() == 1 && rolling.max_surge().str_val() != "0%"));
  if (!surges) {
    state.to_delete.insert(state.to_delete.end(), running.begin() + 1, running.end());
    return;
  }
  const PodView* is_new = nullptr;
  const PodView* is_old = nullptr;
  for (const PodView* pod : running) {
    const PodView*& oldest = state.is_new(*pod) ? is_new : is_old;
    if (oldest == nullptr) {
      oldest = pod;
    } else {
      state.to_delete.push_back(pod);
    }
  }
  if (is_new != nullptr && is_old != nullptr && (!is_old->ready() || available(state, *is_new))) {
    state.to_delete.push_back(is_old);
  }
}

bool DaemonSetController::may_replace_failed(const ReconcileState& state, std::string_view node) {
  Backoff& backoff = failed_[state.key + "/" + std::string(node)];
  const SteadyTime now = server_.agenda().steady_now();
  if (now < backoff.until) {
    queue_.add_after(state.key, backoff.until - now);
    return false;
  }
  const bool long_ago = now - backoff.until > 2 * kLongestWait;
  backoff.wait = backoff.wait == Agenda::Duration{} || long_ago ? kFirstWait : std::min(2 * backoff.wait, kLongestWait);
  backoff.until = now + backoff.wait;
  return true;
}

bool DaemonSetController::carry_out(ReconcileState& state) {
  if (state.to_delete.empty() && state.to_create.empty()) return false;
  std::size_t room = kMostPerReconcile;
  for (const PodView* pod : std::exchange(state.to_delete, {})) {
    if (room-- == 0) break;
    std::string fault = control_.remove(*state.set, *pod);
    if (!fault.empty()) state.fault = std::move(fault);
  }
  room = kMostPerReconcile;
  for (const std::string& node : std::exchange(state.to_create, {})) {
    if (room-- == 0 || control_.failed(state.key)) break;
    create_pod(state, node);
  }
  if (control_.failed(state.key)) state.fault = control_.take_fault(state.key);
  return true;
}

void DaemonSetController::create_pod(ReconcileState& state, const std::string& node) {
  auto pod = pod_from_template(state.spec().template_(), state.ns(), controller_reference(*state.set));
  pod->mutable_metadata()->set_generate_name(pod_name_prefix(state.name()));
  auto& labels = *pod->mutable_metadata()->mutable_labels();
  labels[std::string(kRevisionLabel)] = state.hash;
  const auto& annotations = state.set->metadata().annotations();
  const auto generation = annotations.find("deprecated.daemonset.template.generation");
  if (generation != annotations.end()) labels["pod-template-generation"] = generation->second;
  api::PodSpec& spec = *pod->mutable_spec();
  add_daemon_tolerations(spec);
  // The node already matches the template's affinity. From here on only the node name counts.
  auto& required =
      *spec.mutable_affinity()->mutable_node_affinity()->mutable_required_during_scheduling_ignored_during_execution();
  required.Clear();
  auto& field = *required.add_node_selector_terms()->add_match_fields();
  field.set_key("metadata.name");
  field.set_operator_("In");
  field.add_values(node);
  control_.create(state.key, *state.set, std::move(pod));
}

}  // namespace rescheduler::sim
