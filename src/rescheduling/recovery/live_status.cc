// Status of the retry ledgers, for users.
#include <algorithm>

#include "rescheduling/recovery/live_state.h"

namespace rescheduler::rescheduling::recovery {

std::vector<SlotStatus> LiveRecovery::slots() const {
  const State& state = *state_;
  const WallTime now = state.now();
  std::vector<SlotStatus> all;
  for (const Owner& owner : state.pod_owners.with_ledger()) {
    const auto retries = read_retries(owner.annotations, state.settings.recovery.most_retries);
    const std::uint32_t allowed = retries ? retries->allowed : 0;
    const auto ledger = read_ledger(owner.kind, owner.annotations, allowed, now);
    if (!ledger) continue;
    const auto live = state.pod_owners.live_pods(owner);
    for (const Slot& slot : ledger->slots) {
      SlotStatus one{std::string(to_string(owner.kind)), owner.ns, owner.name, slot.id, slot.times, allowed};
      RetryDecision decision{.slot = slot.id, .attempt = slot.times, .of = allowed};
      for (const Visit& visit : slot.visits) {
        one.visited.emplace_back(visit.node, visit.at);
        decision.avoiding.push_back(visit.node);
      }
      one.sentence = decision.sentence();
      const bool well = std::ranges::any_of(live, [&](const Sibling& pod) {
        return pod.slot == slot.id && state.detector.well_since(pod.uid).has_value();
      });
      const auto given_up = state.verdicts.find(owner.key() + "/" + slot.id);
      if (well) {
        one.verdict = "healthy";
      } else if (given_up != state.verdicts.end()) {
        one.verdict = given_up->second == RetryVerdict::Application ? "application" : "exhausted";
      } else {
        one.verdict = allowed > 0 && slot.times >= allowed ? "exhausted" : "retrying";
      }
      all.push_back(std::move(one));
    }
  }
  return all;
}

}  // namespace rescheduler::rescheduling::recovery
