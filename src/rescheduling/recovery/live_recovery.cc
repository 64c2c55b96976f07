#include "rescheduling/recovery/live_recovery.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/log.h"
#include "kube/codec/metadata.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "placement/visited_nodes.h"
#include "rescheduling/messages.h"
#include "rescheduling/recovery/live_state.h"

namespace rescheduler::rescheduling::recovery {
namespace {

constexpr std::size_t kMostReported = 100'000;  // remembered messages, so that each is reported once

CaseInput refusal(Error error) { return case_input::Refused{std::move(error)}; }

kube::EventRecorderSettings reporting(const LiveRecoverySettings& settings) {
  kube::EventRecorderSettings reporter;
  reporter.reporter = {settings.component, settings.component + "-" + settings.host};
  return reporter;
}

}  // namespace

LiveRecovery::State::State(RecoveryApis the_apis, LiveRecoverySettings the_settings, kube::LoopServices the_services)
    : apis(the_apis),
      settings(std::move(the_settings)),
      services(the_services),
      writes(*apis.api, settings.fence),
      client(writes),
      recorder(apis.events != nullptr ? *apis.events : *apis.api, reporting(settings), services),
      detector(settings.recovery.rules),
      attribution(settings.recovery.quarantine),
      bare_pods(writes, settings.home) {}

// --- Changes of objects ---

void LiveRecovery::State::follow_kind(const kube::ResourceType& kind) {
  if (std::ranges::find(settings.fed_kinds, &kind) != settings.fed_kinds.end()) return;
  kube::InformerSettings informer;
  informer.keep = kube::Keep::Names;
  if (kind.namespaced) informer.ns = settings.ns;
  auto& reflector =
      reflectors.emplace_back(std::make_unique<kube::Reflector>(*apis.api, kind, std::move(informer), services));
  kube::ObjectHandler handler;
  handler.upserted = [this](const kube::ObjectPtr& object) { upsert(object); };
  handler.removed = [this](const kube::ObjectPtr& object) { remove(object); };
  reflector->add_handler(std::move(handler));
}

void LiveRecovery::State::upsert(const kube::ObjectPtr& object) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    upsert_pod(static_cast<const api::Pod&>(*object));
  } else if (object->GetDescriptor() == api::Node::descriptor()) {
    upsert_node(static_cast<const api::Node&>(*object));
  } else {
    pod_owners.upsert(*object);
  }
}

void LiveRecovery::State::remove(const kube::ObjectPtr& object) {
  if (object->GetDescriptor() == api::Pod::descriptor()) {
    remove_pod(static_cast<const api::Pod&>(*object));
  } else if (object->GetDescriptor() == api::Node::descriptor()) {
    remove_node(kube::metadata_of(*object).name());
  } else {
    pod_owners.remove(*object);
  }
}

void LiveRecovery::State::upsert_pod(const api::Pod& pod) {
  const std::string& uid = pod.metadata().uid();
  const bool just_ended_well = pod.status().phase() == "Succeeded" && pod_owners.is_live(uid);
  pod_owners.upsert_pod(pod);
  detector.upsert_pod(pod, now());
  if (just_ended_well) {
    if (const auto owner = pod_owners.owner_of(uid)) ended_well.insert(owner->key());
  }
  // The pod is known now: live_pods() shows that its slot is taken, so handed_out no longer needs the slot.
  const std::string slot = pod_owners.slot_label_of(uid);
  if (slot.empty() || (handed_out.empty() && there_before.empty())) return;
  const auto owner = pod_owners.owner_of(uid);
  if (!owner) return;
  const std::string place = owner->uid + "/" + slot;
  handed_out.erase(place);
  const auto before = there_before.find(place);
  if (before != there_before.end() && !before->second.contains(uid)) there_before.erase(before);
}

void LiveRecovery::State::remove_pod(const api::Pod& pod) {
  const std::string& uid = pod.metadata().uid();
  pod_owners.remove_pod(uid);
  detector.remove_pod(uid);
  not_before.erase(uid);
}

void LiveRecovery::State::upsert_node(const api::Node& node) {
  detector.upsert_node(node, now());
  nodes.insert_or_assign(node.metadata().name(), quarantine_status_of(node, now()));
}

void LiveRecovery::State::remove_node(const std::string& name) {
  detector.remove_node(name);
  attribution.remove_node(name);
  nodes.erase(name);
  observed.erase(name);
}

bool LiveRecovery::State::is_excluded(const std::string& ns) const {
  const auto& excluded = settings.recovery.excluded_namespaces;
  return std::ranges::find(excluded, ns) != excluded.end();
}

// --- Actions ---

net::Task<void> LiveRecovery::State::act(std::shared_ptr<State> self) {
  while (!self->stopping) {
    self->busy = true;
    co_await self->scan();
    self->busy = false;
    if (self->stopping) co_return;
    const auto slept = co_await self->services.timers->sleep_for(self->settings.poll_interval);
    if (!slept) co_return;
  }
}

net::Task<void> LiveRecovery::State::scan() {
  const auto findings = detector.failing(now());
  services.metrics->gauge("rescheduler_recovery_failing_pods", "Pods that are failing now.")
      .set(static_cast<double>(findings.size()));
  if (reported.size() > kMostReported) reported.clear();
  record_evidence(findings, now());
  review_evidence(now());
  co_await judge_nodes(now());
  for (const Finding& finding : findings) {
    if (stopping) co_return;
    const auto owner = pod_owners.owner_of(finding.uid);
    if (!owner || is_excluded(finding.ns)) continue;
    const auto wait = not_before.find(finding.uid);
    if (wait != not_before.end() && wait->second > now()) continue;
    co_await handle(finding, *owner);
  }
  if (settings.recovery.mode != config::StrategyMode::Act) co_return;
  co_await reset_recovered(now());
  const auto reports = co_await bare_pods.go_on();
  for (const std::string& sentence : reports) log_info(messages::kRecoveryOfBarePod, {{"what", sentence}});
}

net::Task<void> LiveRecovery::State::handle(Finding finding, Owner owner) {
  const auto retries = read_retries(owner.annotations, settings.recovery.most_retries);
  if (!retries) co_return;
  if (!retries->complaint.empty() && first_report(owner.uid + retries->complaint)) {
    record_event(owner, nullptr, kube::EventType::Warning, "InvalidRetries", retries->complaint);
  }
  if (retries->allowed == 0) co_return;
  // A recreated DaemonSet pod would be on the same lost node.
  const bool node_away = finding.symptom == Symptom::NodeLost || finding.symptom == Symptom::Unknown;
  if (owner.kind == OwnerKind::DaemonSet && node_away) co_return;
  if (settings.recovery.mode == config::StrategyMode::Observe) {
    if (!first_report("observed " + finding.uid)) co_return;
    log_info(messages::kRecoveryObserves,
             {{"pod", finding.ns + "/" + finding.name}, {"node", finding.node}, {"detail", finding.detail}});
    count("rescheduler_recovery_observed_total", "Failing pods that would have been evicted in mode act.",
          {{"symptom", std::string(to_string(finding.symptom))}});
    co_return;
  }
  CaseSetting setting;
  setting.settings = &settings.recovery;
  setting.finding = finding;
  setting.kind = owner.kind;
  setting.own_slot = pod_owners.slot_label_of(finding.uid);
  std::vector<QuarantineStatus> statuses;
  for (const auto& [name, node_status] : nodes) statuses.push_back(node_status);
  setting.faulty_nodes = attribution.faulty_nodes(statuses, now());
  const std::string places = owner.uid + "/";
  for (auto one = there_before.lower_bound(places); one != there_before.end() && one->first.starts_with(places);
       ++one) {
    if (one->second.contains(finding.uid)) setting.not_in.insert(one->first.substr(places.size()));
  }
  CaseProtocol protocol(std::move(setting));
  CaseAction action = protocol.begin();
  while (!std::holds_alternative<case_action::Done>(action)) {
    const CaseInput happened = co_await perform(finding, owner, protocol, action);
    action = protocol.next(happened, now());
  }
  co_await conclude(finding, owner, protocol.decision(), std::get<case_action::Done>(action));
}

net::Task<CaseInput> LiveRecovery::State::perform(const Finding& finding,
                                                  const Owner& owner,
                                                  const CaseProtocol& protocol,
                                                  CaseAction action) {
  if (std::holds_alternative<case_action::ReadOwner>(action)) {
    auto read = co_await read_owner(owner.kind, owner.ns, owner.name);
    co_return read;
  }
  Result<void> done;
  CaseInput happened = case_input::Removed{};
  if (std::holds_alternative<case_action::Preflight>(action)) {
    happened = case_input::Allowed{};
    if (!detector.is_out_of_service(finding.node)) {
      auto asked = co_await evict(client, finding.ns, finding.name, finding.uid, true);
      done = std::move(asked);
    }
  } else if (auto* write = std::get_if<case_action::Write>(&action)) {
    happened = case_input::Written{};
    if (owner.kind == OwnerKind::Pod) {
      auto saved = co_await bare_pods.save(finding.ns, finding.name, finding.uid, protocol.decision()->ledger);
      done = std::move(saved);
    } else {
      auto& there = there_before[owner.uid + "/" + protocol.decision()->slot];
      there.clear();
      for (const Sibling& one : pod_owners.live_pods(owner)) there.insert(one.uid);
      auto written = co_await write_ledger_of(owner, std::move(*write));
      done = std::move(written);
    }
  } else {
    auto removed = co_await remove(finding);
    done = std::move(removed);
  }
  if (!done) happened = refusal(std::move(done.error()));
  co_return happened;
}

net::Task<CaseInput> LiveRecovery::State::read_owner(OwnerKind kind, std::string ns, std::string name) {
  kube::ApiCall call;
  call.verb = kube::Verb::Get;
  call.resource = &resource_of(kind);
  call.ns = std::move(ns);
  call.name = std::move(name);
  const auto answer = resource_of(kind).make();
  auto done = co_await writes.call(std::move(call), answer.get());
  if (!done) co_return refusal(std::move(done.error()));
  const api::ObjectMeta& meta = kube::metadata_of(*answer);
  case_input::OwnerRead read;
  read.owner = {kind, meta.namespace_(), meta.name(), meta.uid(), replicas_of(*answer), annotations_of(meta)};
  read.resource_version = meta.resource_version();
  read.live = pod_owners.live_pods(read.owner);
  if (kind != OwnerKind::Pod) pod_owners.upsert(*answer);
  co_return read;
}

net::Task<Result<void>> LiveRecovery::State::write_ledger_of(Owner owner, case_action::Write write) {
  kube::ApiCall call;
  call.verb = kube::Verb::Patch;
  call.resource = &resource_of(owner.kind);
  call.ns = owner.ns;
  call.name = owner.name;
  call.patch = ledger_patch(write.resource_version, write.annotations);
  call.field_manager = "rescheduler";
  const auto answer = resource_of(owner.kind).make();
  auto done = co_await writes.call(std::move(call), answer.get());
  // The webhook can need the ledger before the informer has it.
  if (done && owner.kind != OwnerKind::Pod) pod_owners.upsert(*answer);
  co_return done;
}

net::Task<Result<void>> LiveRecovery::State::remove(Finding finding) {
  if (detector.is_out_of_service(finding.node)) {
    // The taint out-of-service declares that nothing runs on the node any more.
    auto deleted = co_await delete_at_once(client, finding.ns, finding.name, finding.uid);
    co_return deleted;
  }
  auto evicted = co_await evict(client, finding.ns, finding.name, finding.uid, false);
  co_return evicted;
}

// --- LiveRecovery ---

LiveRecovery::LiveRecovery(std::shared_ptr<State> state) : state_(std::move(state)) {}

LiveRecovery::~LiveRecovery() {
  state_->acting.cancel();
  for (net::Job& job : state_->jobs) job.cancel();
}

std::unique_ptr<LiveRecovery> LiveRecovery::make(RecoveryApis apis,
                                                 LiveRecoverySettings settings,
                                                 kube::LoopServices services) {
  auto state = std::make_shared<State>(apis, std::move(settings), services);
  state->follow_kind(kube::resource_of<api::Pod>());
  state->follow_kind(kube::resource_of<api::Node>());
  for (const kube::ResourceType* kind : owner_kinds()) state->follow_kind(*kind);
  return std::unique_ptr<LiveRecovery>(new LiveRecovery(std::move(state)));
}

namespace {

net::Task<void> followed(std::shared_ptr<void> /*kept*/, kube::Reflector& reflector) { co_await reflector.run(); }
net::Task<void> recorded(std::shared_ptr<void> /*kept*/, kube::EventRecorder& recorder) { co_await recorder.run(); }

}  // namespace

// Weak, because the scheduler can call the sink after this object is gone.
scheduler::ClusterSink LiveRecovery::sink() const {
  const std::weak_ptr<State> weak = state_;
  scheduler::ClusterSink sink;
  sink.finished_pods = true;  // a pod that failed counts
  sink.upsert = [weak](const kube::ObjectPtr& object) {
    if (const auto self = weak.lock()) self->upsert(object);
  };
  sink.remove = [weak](const kube::ObjectPtr& object) {
    if (const auto self = weak.lock()) self->remove(object);
  };
  return sink;
}

void LiveRecovery::follow() {
  const net::Executor& executor = state_->services.executor;
  for (const auto& reflector : state_->reflectors) {
    state_->jobs.push_back(net::spawn(executor, "recovery informer", followed(state_, *reflector)));
  }
  state_->jobs.push_back(net::spawn(executor, "recovery events", recorded(state_, state_->recorder)));
}

net::Task<Result<void>> LiveRecovery::wait_synced() {
  for (const auto& reflector : state_->reflectors) {
    auto synced = co_await reflector->wait_synced();
    if (!synced) co_return fail(std::move(synced.error()));
  }
  if (!state_->settings.wait_fed) co_return Result<void>{};
  auto fed = co_await state_->settings.wait_fed();
  co_return fed;
}

void LiveRecovery::lead() {
  if (state_->settings.recovery.mode == config::StrategyMode::Off || state_->stopping) return;
  state_->leading = true;
  state_->ended_well.clear();
  state_->restore_failures(state_->now());
  state_->acting = net::spawn(state_->services.executor, "recovery", State::act(state_));
}

net::Task<bool> LiveRecovery::stop(std::chrono::nanoseconds grace) {
  const std::shared_ptr<State> state = state_;
  state->stopping = true;
  if (!state->busy) state->acting.cancel();  // sleeping, so nothing is interrupted
  const bool ended = co_await net::ended_within(state->acting, *state->services.timers, grace);
  state->acting.cancel();
  if (ended) [[maybe_unused]]
    const auto flushed = co_await state->recorder.flush();
  (void)co_await net::end_all(state->jobs);
  co_return ended;
}

net::Task<std::optional<NewPodHint>> LiveRecovery::hint_for(api::Pod pod) {
  const std::shared_ptr<State> state = state_;
  auto hint = co_await state->hint(std::move(pod));
  co_return hint;
}

// Weak, because the scheduler can call it after this object is gone.
std::function<std::map<std::string, std::string>(const api::Pod& pod)> LiveRecovery::annotator() const {
  return [weak = std::weak_ptr(state_)](const api::Pod& pod) -> std::map<std::string, std::string> {
    const auto self = weak.lock();
    if (!self || pod.metadata().annotations().contains(std::string(placement::kScheduledHosts))) return {};
    const auto owner = self->owner_with_retries(pod);
    if (!owner) return {};
    const auto hint = self->hint_from(*owner, pod.metadata().name(), self->now());
    return hint && !hint->avoid.empty() ? annotations_for(pod, *hint) : std::map<std::string, std::string>{};
  };
}

}  // namespace rescheduler::rescheduling::recovery
