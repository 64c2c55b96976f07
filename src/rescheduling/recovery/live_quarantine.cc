// How LiveRecovery finds the nodes that cause failures, and quarantines them or reports that it would.
#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/log.h"
#include "kube/proto/core_node.pb.h"
#include "kube/value/time.h"
#include "rescheduling/messages.h"
#include "rescheduling/recovery/live_state.h"

namespace rescheduler::rescheduling::recovery {

using config::StrategyMode;

// Recovery that only observes does not taint nodes either.
StrategyMode LiveRecovery::State::quarantine_mode() const {
  return std::min(settings.recovery.mode, settings.recovery.quarantine.mode);
}

// --- Evidence ---

// Only workloads that asked for recovery count.
bool LiveRecovery::State::counts(const Owner& owner) const {
  if (is_excluded(owner.ns)) return false;
  const auto retries = read_retries(owner.annotations, settings.recovery.most_retries);
  return retries && retries->allowed > 0;
}

void LiveRecovery::State::record_evidence(const std::vector<Finding>& findings, WallTime now) {
  for (const Finding& finding : findings) {
    const NodeBlame blame = blame_of(finding.symptom);
    if (blame == NodeBlame::None) continue;
    const auto owner = pod_owners.owner_of(finding.uid);
    if (!owner || !counts(*owner)) continue;
    attribution.failed(finding.node, owner->key(), {now, pod_owners.release_of(finding.uid), blame == NodeBlame::Node});
  }
}

// Restores the failures per node that earlier leaders recorded in the retry ledgers.
void LiveRecovery::State::restore_failures(WallTime now) {
  for (const Owner& owner : pod_owners.with_ledger()) {
    if (!counts(owner)) continue;
    const auto ledger = read_ledger(owner.kind, owner.annotations, settings.recovery.most_retries, now);
    if (!ledger) continue;
    for (const Slot& slot : ledger->slots) {
      for (const Visit& visit : slot.visits) {
        // kse-rescheduler does not record times: such a visit gets the current time, and is no evidence.
        if (!visit.lost && visit.at < now) attribution.failed(visit.node, owner.key(), {.at = visit.at});
      }
    }
  }
}

void LiveRecovery::State::review_evidence(WallTime now) {
  attribution.review([&](const std::string& node, const std::string& owner,
                         const std::string& release) { return healthy_elsewhere(node, owner, release, now); },
                     now);
  // A new pod that is healthy on a node in probation ends the probation.
  for (const auto* known : {&nodes, &observed}) {
    for (const auto& [name, node_status] : *known) {
      if (node_status.quarantine != NodeQuarantine::Probation) continue;
      for (const PodOnNode& pod : pod_owners.pods_on(name)) {
        if (detector.well_for(pod.uid, settings.proof, now)) attribution.well(name, pod.created);
      }
    }
  }
}

bool LiveRecovery::State::healthy_elsewhere(const std::string& node,
                                            const std::string& owner,
                                            const std::string& release,
                                            WallTime now) const {
  bool elsewhere = false;
  for (const PodOnNode& pod : pod_owners.placed_pods(owner)) {
    if (!release.empty() && pod.release != release) continue;
    const bool well = detector.well_for(pod.uid, settings.proof, now);
    // If the release is unknown, any pod that is not healthy can be of the release that failed.
    if (!well && release.empty()) return false;
    if (well && pod.node != node) elsewhere = true;
  }
  return elsewhere;
}

// --- Actions ---

// In mode observe, a node has the state that mode act would have given it.
std::vector<QuarantineAction> LiveRecovery::State::quarantine_actions(WallTime at) {
  std::vector<QuarantineStatus> all;
  for (const auto& [name, node_status] : nodes) {
    QuarantineStatus& one = all.emplace_back(node_status);
    if (quarantine_mode() == StrategyMode::Act) continue;
    const auto found = observed.find(name);
    one.quarantine = found == observed.end() ? NodeQuarantine::None : found->second.quarantine;
    one.until = found == observed.end() ? WallTime{} : found->second.until;
  }
  return attribution.decide(all, at);
}

net::Task<void> LiveRecovery::State::judge_nodes(WallTime at) {
  const StrategyMode mode = quarantine_mode();
  std::vector<QuarantineAction> actions;
  if (mode != StrategyMode::Off) actions = quarantine_actions(at);
  if (mode == StrategyMode::Observe) {
    for (QuarantineAction& action : std::exchange(actions, {})) observe(std::move(action));
  }
  if (mode != StrategyMode::Act) {  // taints of an earlier mode act end too
    for (const auto& [name, node_status] : nodes) {
      if (node_status.quarantine == NodeQuarantine::None || node_status.until > at) continue;
      actions.push_back({name, NodeQuarantine::None, {}, "the quarantine has expired"});
    }
  }
  for (QuarantineAction& action : actions) {
    co_await carry_out(std::move(action));
  }
  const auto quarantined = [](const std::map<std::string, QuarantineStatus>& all) {
    return static_cast<double>(std::ranges::count_if(
        all, [](const auto& one) { return one.second.quarantine == NodeQuarantine::Quarantined; }));
  };
  services.metrics
      ->gauge("rescheduler_recovery_quarantined_nodes",
              "Nodes that are quarantined because pods of several owners failed on them.")
      .set(quarantined(nodes));
  services.metrics
      ->gauge("rescheduler_recovery_observed_nodes", "Nodes that mode act would have quarantined; quarantine observes.")
      .set(quarantined(observed));
}

void LiveRecovery::State::observe(QuarantineAction action) {
  report(action, true);
  if (action.to == NodeQuarantine::None) {
    observed.erase(action.node);
  } else {
    observed.insert_or_assign(action.node, QuarantineStatus{action.node, {}, action.to, action.until});
  }
}

net::Task<void> LiveRecovery::State::carry_out(QuarantineAction action) {
  auto done = co_await quarantine_node(action);
  if (!done) {
    log_warning(messages::kNodeNotQuarantined, {{"node", action.node}, {"err", done.error().message}});
    co_return;
  }
  if (!*done) co_return;
  count("rescheduler_recovery_confinements_total", "Changes of the quarantine of nodes, by reason.",
        {{"reason", action.to == NodeQuarantine::Quarantined ? "NodeQuarantined" : "NodeReleased"}});
  report(action, false);
}

net::Task<Result<bool>> LiveRecovery::State::quarantine_node(QuarantineAction action) {
  auto node = co_await client.get<api::Node>("", action.node);
  if (!node) co_return fail(std::move(node.error()));
  if (!set_quarantine(*node, action.to, action.until, action.why)) co_return false;
  auto written = co_await client.update(std::move(*node));
  if (!written) co_return fail(std::move(written.error()));
  upsert_node(*written);
  co_return true;
}

// --- Reports ---

void LiveRecovery::State::report(const QuarantineAction& action, bool observed_only) {
  const bool bad = action.to == NodeQuarantine::Quarantined;
  std::string note = fmt::format("{}: {}", to_string(action.to), action.why);
  if (bad) note += fmt::format("; until {}", kube::format_time(action.until));
  if (observed_only) {
    note = fmt::format("not carried out, because quarantine only observes: {}", note);
    log_info(messages::kQuarantineObserves, {{"node", action.node}, {"note", note}});
  } else {
    log_info(messages::kQuarantine, {{"node", action.node}, {"note", note}});
  }
  kube::EventRecord record;
  record.regarding = {.api_version = "v1", .kind = "Node", .name = action.node, .uid = action.node};
  record.type = bad ? kube::EventType::Warning : kube::EventType::Normal;
  record.reason = observed_only ? "QuarantineObserved" : bad ? "NodeQuarantined" : "NodeReleased";
  record.action = "Quarantine";
  record.note = note;
  recorder.record(std::move(record));
  if (settings.on_activity) settings.on_activity({"Node", "", action.node, bad, note});
}

std::string LiveRecovery::status_text() const {
  const State& state = *state_;
  std::string text = fmt::format("mode {}; quarantine {}", to_string(state.settings.recovery.mode),
                                 to_string(state.quarantine_mode()));
  const auto& known = state.quarantine_mode() == StrategyMode::Act ? state.nodes : state.observed;
  std::vector<std::string> names;
  for (const auto& [name, node_status] : known) {
    if (node_status.quarantine == NodeQuarantine::Quarantined) names.push_back(name);
  }
  if (!names.empty()) text += fmt::format(": {}", fmt::join(names, ", "));
  return text;
}

}  // namespace rescheduler::rescheduling::recovery
