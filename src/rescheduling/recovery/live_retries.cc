// How LiveRecovery reports the end of a case, resets retries, and gives hints to new pods.
#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "kube/codec/resource.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"
#include "placement/visited_nodes.h"
#include "rescheduling/messages.h"
#include "rescheduling/recovery/live_state.h"

namespace rescheduler::rescheduling::recovery {
namespace {

namespace json = boost::json;

constexpr std::chrono::seconds kAfterRefusal{5};  // until a PodDisruptionBudget is checked again
constexpr std::chrono::seconds kAfterStop{30};    // until the annotation is read again: a user may have changed it
constexpr std::chrono::seconds kBetweenResets{10};
constexpr std::chrono::seconds kHandedOut{30};  // a pod that got a slot is seen within this time, or was never created
constexpr std::chrono::milliseconds kPatience{500};

kube::ObjectRef ref_of(const Owner& owner) {
  return {.api_version = resource_of(owner.kind).api_version(),
          .kind = std::string(to_string(owner.kind)),
          .ns = owner.ns,
          .name = owner.name,
          .uid = owner.uid};
}

}  // namespace

std::string ledger_patch(const std::string& resource_version,
                         const std::map<std::string, std::optional<std::string>>& annotations) {
  json::object changes;
  for (const auto& [key, value] : annotations) changes[key] = value ? json::value(*value) : json::value(nullptr);
  json::object meta;
  meta["resourceVersion"] = resource_version;
  meta["annotations"] = std::move(changes);
  return json::serialize(json::object{{"metadata", std::move(meta)}});
}

void LiveRecovery::State::count(const std::string& name, const std::string& help, const MetricLabels& labels) {
  services.metrics->counter(name, help, labels).add();
}

void LiveRecovery::State::record_event(const Owner& owner,
                                       const Finding* pod,
                                       kube::EventType type,
                                       std::string reason,
                                       std::string note) {
  kube::EventRecord record;
  record.regarding = ref_of(owner);
  if (pod != nullptr && owner.kind != OwnerKind::Pod) {
    record.related =
        kube::ObjectRef{.api_version = "v1", .kind = "Pod", .ns = pod->ns, .name = pod->name, .uid = pod->uid};
  }
  record.type = type;
  record.reason = std::move(reason);
  record.action = "Recovery";
  record.note = std::move(note);
  if (settings.on_activity) {
    settings.on_activity({record.regarding.kind, owner.ns, owner.name, type == kube::EventType::Warning, record.note});
  }
  recorder.record(std::move(record));
}

// Sets a condition on the pod, which shows that the pod gets no more retries.
net::Task<void> LiveRecovery::State::mark(Finding finding, std::string reason, std::string message) {
  json::object condition{{"type", "rescheduler.io/Recoverable"},
                         {"status", "False"},
                         {"reason", reason},
                         {"message", message},
                         {"lastTransitionTime", kube::format_time(now())}};
  json::object meta{{"uid", finding.uid}};  // the patch applies only to this pod, not to one of the same name
  const std::string patch = json::serialize(json::object{
      {"metadata", std::move(meta)}, {"status", json::object{{"conditions", json::array{std::move(condition)}}}}});
  kube::PatchOptions options;
  options.kind = kube::PatchKind::StrategicMerge;
  options.subresource = "status";
  auto marked = co_await client.patch<api::Pod>(finding.ns, finding.name, patch, options);
  if (!marked) log_debug("recovery: {}", marked.error().message);
}

net::Task<void> LiveRecovery::State::give_up(Finding finding, Owner owner, RetryDecision decision) {
  const bool application = decision.retry_verdict == RetryVerdict::Application;
  verdicts[owner.key() + "/" + decision.slot] = decision.retry_verdict;
  count("rescheduler_recovery_stopped_total", "Failing pods without another retry, by verdict.",
        {{"verdict", std::string(to_string(decision.retry_verdict))}});
  const std::string why = application ? fmt::format("verdict application: the pods fail on every node ({})",
                                                    fmt::join(decision.ledger.nodes(), ", "))
                                      : std::string("the retries are used up");
  const std::string note = fmt::format("pod {} on {}: {}; {} of {} attempts made, no further attempt: {}", finding.name,
                                       finding.node, finding.detail, decision.attempt, decision.of, why);
  const std::string reason = application ? "ApplicationFault" : "RetriesExhausted";
  record_event(owner, &finding, kube::EventType::Warning, reason, note);
  co_await mark(finding, reason, note);
}

net::Task<void> LiveRecovery::State::conclude(Finding finding,
                                              Owner owner,
                                              std::optional<RetryDecision> decision,
                                              case_action::Done done) {
  const std::string symptom(to_string(finding.symptom));
  const std::string who = fmt::format("pod {} on {}: {}", finding.name, finding.node, finding.detail);
  switch (done.end) {
    case CaseEnd::Removed: {
      not_before[finding.uid] = now() + kAfterRefusal;  // until the deletion is seen
      if (!first_report("removed " + finding.uid)) co_return;
      count("rescheduler_recovery_attempts_total", "Failing pods that were evicted to get another node.",
            {{"kind", std::string(to_string(owner.kind))}, {"symptom", symptom}});
      const std::string note = fmt::format("{}; {}", who, decision->sentence());
      log_info(messages::kRecovered, {{"workload", owner.ns + "/" + owner.name}, {"note", note}});
      record_event(owner, &finding, kube::EventType::Normal, "Rescheduled", note);
      co_return;
    }
    case CaseEnd::Stopped:
      not_before[finding.uid] = now() + kAfterStop;
      if (first_report("stopped " + finding.uid)) co_await give_up(finding, owner, *decision);
      co_return;
    case CaseEnd::BudgetBlocked:
    case CaseEnd::Forbidden: {
      not_before[finding.uid] = now() + (done.end == CaseEnd::BudgetBlocked ? kAfterRefusal : kAfterStop);
      count("rescheduler_recovery_blocked_total", "Failing pods that could not be evicted.",
            {{"why", std::string(to_string(done.end))}});
      if (!first_report("blocked " + finding.uid)) co_return;
      const std::string advice = done.end == CaseEnd::BudgetBlocked
                                     ? "; set unhealthyPodEvictionPolicy: AlwaysAllow in the PodDisruptionBudget to "
                                       "allow the eviction of pods that are not ready"
                                     : "";
      record_event(owner, &finding, kube::EventType::Warning, "ReschedulingFailed",
                   fmt::format("{}; the pod cannot be evicted: {}{}", who, done.message, advice));
      co_return;
    }
    case CaseEnd::Unread: {
      not_before[finding.uid] = now() + kAfterStop;
      if (first_report("unread " + owner.uid)) {
        record_event(owner, nullptr, kube::EventType::Warning, "ReschedulingFailed", done.message);
      }
      co_return;
    }
    case CaseEnd::Failed:
      not_before[finding.uid] = now() + kAfterRefusal;
      count("rescheduler_recovery_errors_total", "Failing pods whose recovery failed and is retried.", {});
      log_warning(messages::kRecoveryFailed, {{"pod", finding.ns + "/" + finding.name}, {"err", done.message}});
      co_return;
    case CaseEnd::Gone:
    case CaseEnd::Ignored: co_return;
  }
}

// --- Resetting retries ---

bool LiveRecovery::State::has_recovered(const Owner& owner, const Slot& slot, WallTime at) const {
  // A pod of a Job that succeeded was healthy, however short it ran.
  const bool ends = owner.kind == OwnerKind::Job || owner.kind == OwnerKind::CronJob;
  if (ends && ended_well.contains(owner.key())) return true;
  const auto live = pod_owners.live_pods(owner);
  const auto well = [&](const Sibling& one) {
    const auto since = detector.well_since(one.uid);
    return since && *since + settings.recovery.healthy_window <= at;
  };
  const auto in_slot = [&](const Sibling& one) { return one.slot == slot.id; };
  if (std::ranges::any_of(live, in_slot)) {
    return std::ranges::all_of(live, [&](const Sibling& one) { return !in_slot(one) || well(one); });
  }
  // No pod names the slot: all replicas must exist and be healthy.
  const bool replicated = owner.kind == OwnerKind::Deployment || owner.kind == OwnerKind::ReplicaSet;
  return replicated && live.size() >= owner.replicas && std::ranges::all_of(live, well);
}

net::Task<void> LiveRecovery::State::reset_recovered(WallTime at) {
  for (const Owner& owner : pod_owners.with_ledger()) {
    const std::string key = owner.key();
    const auto wait = not_before.find(key);
    if (wait != not_before.end() && wait->second > at) continue;
    const auto ledger = read_ledger(owner.kind, owner.annotations, 1, at);
    if (!ledger) continue;
    const bool due = std::ranges::any_of(
        ledger->slots, [&](const Slot& slot) { return slot.times > 0 && has_recovered(owner, slot, at); });
    RetryLedger pruned = *ledger;
    prune(pruned, settings.recovery.visited, at);
    if (!due && pruned == *ledger) continue;
    not_before[key] = at + kBetweenResets;
    co_await reset_owner(owner);
  }
  ended_well.clear();
}

net::Task<void> LiveRecovery::State::reset_owner(Owner owner) {
  const CaseInput happened = co_await read_owner(owner.kind, owner.ns, owner.name);
  const auto* read = std::get_if<case_input::OwnerRead>(&happened);
  if (read == nullptr) co_return;
  const auto retries = read_retries(read->owner.annotations, settings.recovery.most_retries);
  auto ledger = read_ledger(owner.kind, read->owner.annotations, retries ? retries->allowed : 1, now());
  if (!ledger) co_return;
  std::vector<std::string> reset_slots;
  for (const Slot& slot : std::vector<Slot>(ledger->slots)) {
    if (has_recovered(read->owner, slot, now()) && reset_slot(*ledger, slot.id)) reset_slots.push_back(slot.id);
  }
  prune(*ledger, settings.recovery.visited, now());
  case_action::Write write{read->resource_version, write_ledger(owner.kind, *ledger)};
  auto written = co_await write_ledger_of(read->owner, std::move(write));
  if (!written || reset_slots.empty()) co_return;
  count("rescheduler_recovery_forgiven_total",
        "Workloads that stayed healthy for the window, so that their retry count starts at zero.", {});
  record_event(
      read->owner, nullptr, kube::EventType::Normal, "Recovered",
      fmt::format("healthy for the whole window; the retry count starts at zero ({})", fmt::join(reset_slots, ", ")));
}

// --- New pods ---

std::map<std::string, std::string> annotations_for(const api::Pod& pod, const NewPodHint& hint) {
  std::vector<std::string> avoid;
  const auto& annotations = pod.metadata().annotations();
  if (const auto has = annotations.find(std::string(placement::kScheduledHosts)); has != annotations.end()) {
    avoid = placement::read_visited(has->second).value_or(std::vector<std::string>{});
  }
  for (const std::string& node : hint.avoid) {
    std::erase(avoid, node);
    avoid.push_back(node);
  }
  std::map<std::string, std::string> made;
  made.emplace(placement::kScheduledHosts, placement::write_visited(avoid));
  if (!hint.slot.empty()) made.emplace(kSlot, hint.slot);
  return made;
}

std::optional<NewPodHint> LiveRecovery::State::hint_from(const Owner& owner, const std::string& pod_name, WallTime at) {
  const auto retries = read_retries(owner.annotations, settings.recovery.most_retries);
  if (!retries || retries->allowed == 0) return std::nullopt;
  auto ledger = read_ledger(owner.kind, owner.annotations, retries->allowed, at);
  if (!ledger) return std::nullopt;
  prune(*ledger, settings.recovery.visited, at);
  if (ledger->slots.empty()) return std::nullopt;  // no failures: skips live_pods(), perhaps thousands
  NewPodHint hint;
  if (owner.kind == OwnerKind::Deployment || owner.kind == OwnerKind::ReplicaSet) {
    std::erase_if(handed_out, [&](const auto& one) { return one.second + kHandedOut <= at; });
    // A counted pod is about to be deleted, even if the informer has not reported it. The new pod can be its
    // replacement.
    auto live = pod_owners.live_pods(owner);
    std::erase_if(live, [&](const Sibling& one) {
      return std::ranges::any_of(ledger->slots, [&](const Slot& slot) {
        return std::ranges::find(slot.counted, one.uid) != slot.counted.end();
      });
    });
    for (const std::string& id : open_slots(*ledger, live)) {
      if (handed_out.contains(owner.uid + "/" + id)) continue;
      hint.slot = id;
      break;
    }
    if (!hint.slot.empty()) handed_out[owner.uid + "/" + hint.slot] = at;
  } else if (owner.kind == OwnerKind::StatefulSet) {
    hint.slot = pod_name;
  } else if (owner.kind == OwnerKind::Job || owner.kind == OwnerKind::CronJob) {
    hint.slot = kOnlySlot;
  }
  const Slot* slot = ledger->find(hint.slot);
  if (slot == nullptr) return std::nullopt;
  for (const Visit& visit : slot->visits) hint.avoid.push_back(visit.node);
  return hint;
}

// The owner of a new pod that can replace a failed one; empty: none. A bare pod gets its annotations when recovery
// creates it again, and a DaemonSet pod cannot avoid its node.
std::optional<Owner> LiveRecovery::State::owner_with_retries(const api::Pod& pod) const {
  auto owner = pod_owners.owner_of(pod);
  if (!owner || owner->kind == OwnerKind::Pod || owner->kind == OwnerKind::DaemonSet) return std::nullopt;
  return counts(*owner) ? owner : std::nullopt;
}

// Reads a workload whose informer copy can be missing or old; false: it could not be read.
net::Task<bool> LiveRecovery::State::read_ahead(WorkloadName workload) {
  kube::ApiCall call;
  call.verb = kube::Verb::Get;
  call.resource = &resource_of(workload.kind);
  call.ns = workload.ns;
  call.name = workload.name;
  call.timeout = kPatience;
  call.repeat = kube::Repeat::Never;
  const auto answer = resource_of(workload.kind).make();
  const auto read = co_await apis.api->call(std::move(call), answer.get());
  if (read) pod_owners.upsert(*answer);
  co_return read.has_value();
}

net::Task<std::optional<NewPodHint>> LiveRecovery::State::hint(api::Pod pod) {
  if (is_excluded(pod.metadata().namespace_())) co_return std::nullopt;
  // The pods of a new ReplicaSet are created within milliseconds of it, and the ReplicaSet within milliseconds of its
  // Deployment.
  for (int controllers = 0; controllers < 2; ++controllers) {
    const auto unseen = pod_owners.unseen_controller(pod);
    if (!unseen) break;
    const bool read = co_await read_ahead(*unseen);
    if (!read) break;
  }
  auto owner = owner_with_retries(pod);
  if (!owner) co_return std::nullopt;
  // The replacement of a pod is created within milliseconds of its removal. The informer copy can be older, unless this
  // process wrote the ledger.
  if (!leading || (settings.fence && !settings.fence->may_act())) {
    const WorkloadName workload{owner->kind, owner->ns, owner->name};
    const bool read = co_await read_ahead(workload);
    if (read) {
      if (auto known = pod_owners.find(owner->kind, owner->ns, owner->name)) owner = std::move(known);
    }
  }
  co_return hint_from(*owner, pod.metadata().name(), now());
}

}  // namespace rescheduler::rescheduling::recovery
