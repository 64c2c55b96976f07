#include "rescheduling/recovery/retry_ledger.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kube/value/integer.h"

namespace rescheduler::rescheduling::recovery {
namespace {

constexpr std::size_t kMostCounted = 16;  // pods of one slot that can be terminating at the same time

bool is_claimed(const Slot& slot, const std::vector<Sibling>& live) {
  return std::ranges::any_of(live, [&](const Sibling& one) {
    return one.slot == slot.id || std::ranges::find(slot.counted, one.uid) != slot.counted.end();
  });
}

std::string new_id(const RetryLedger& ledger) {
  for (std::uint32_t number = 1;; ++number) {
    std::string id = std::to_string(number);
    if (ledger.find(id) == nullptr) return id;
  }
}

}  // namespace

std::string_view to_string(OwnerKind kind) {
  switch (kind) {
    case OwnerKind::Deployment: return "Deployment";
    case OwnerKind::ReplicaSet: return "ReplicaSet";
    case OwnerKind::StatefulSet: return "StatefulSet";
    case OwnerKind::DaemonSet: return "DaemonSet";
    case OwnerKind::Job: return "Job";
    case OwnerKind::CronJob: return "CronJob";
    case OwnerKind::Pod: return "Pod";
  }
  return "?";
}

std::string_view to_string(RetryVerdict retry_verdict) {
  switch (retry_verdict) {
    case RetryVerdict::Retry: return "retry";
    case RetryVerdict::AlreadyCounted: return "counted";
    case RetryVerdict::Exhausted: return "exhausted";
    case RetryVerdict::Application: return "application";
  }
  return "?";
}

std::optional<Retries> read_retries(const Annotations& annotations, std::uint32_t most) {
  auto found = annotations.find(std::string(kRetries));
  if (found == annotations.end()) found = annotations.find(std::string(kRetriesMisspelt));
  if (found == annotations.end()) return std::nullopt;
  const std::string& text = found->second;
  const bool digits = !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  if (!digits) {
    return Retries{0, fmt::format("{}: '{}' is not a number of retries; no retries are made", found->first, text)};
  }
  const auto value = kube::parse_int64(text);
  if (!value || *value > most) {
    return Retries{most, fmt::format("{}: '{}' is above the maximum; {} retries are made", found->first, text, most)};
  }
  return Retries{static_cast<std::uint32_t>(*value), {}};
}

const Slot* RetryLedger::find(std::string_view id) const {
  const auto found = std::ranges::find(slots, id, &Slot::id);
  return found == slots.end() ? nullptr : &*found;
}

Slot& RetryLedger::at(std::string_view id) {
  const auto found = std::ranges::find(slots, id, &Slot::id);
  if (found != slots.end()) return *found;
  const auto place = std::ranges::upper_bound(slots, id, {}, &Slot::id);
  return *slots.insert(place, Slot{.id = std::string(id)});
}

std::uint32_t RetryLedger::times() const {
  std::uint32_t sum = 0;
  for (const Slot& slot : slots) sum += slot.times;
  return sum;
}

std::vector<std::string> RetryLedger::nodes() const {
  std::map<std::string, WallTime> last;
  for (const Slot& slot : slots) {
    for (const Visit& visit : slot.visits) {
      const auto [known, fresh] = last.try_emplace(visit.node, visit.at);
      if (!fresh) known->second = std::max(known->second, visit.at);
    }
  }
  std::vector<std::pair<WallTime, std::string>> ordered;
  for (const auto& [node, at] : last) ordered.emplace_back(at, node);
  std::ranges::sort(ordered);
  std::vector<std::string> names;
  for (auto& [at, node] : ordered) names.push_back(std::move(node));
  return names;
}

void prune(RetryLedger& ledger, const config::VisitedSettings& settings, WallTime now) {
  for (Slot& slot : ledger.slots) {
    std::erase_if(slot.visits, [&](const Visit& visit) { return visit.at + settings.expiry <= now; });
    if (slot.visits.size() > settings.most) {
      slot.visits.erase(slot.visits.begin(),
                        slot.visits.end() - static_cast<std::vector<Visit>::difference_type>(settings.most));
    }
  }
  std::erase_if(ledger.slots, [](const Slot& slot) { return slot.times == 0 && slot.visits.empty(); });
}

std::vector<std::string> open_slots(const RetryLedger& ledger, const std::vector<Sibling>& live) {
  std::vector<std::pair<WallTime, std::string>> open;
  for (const Slot& slot : ledger.slots) {
    if (is_claimed(slot, live)) continue;
    open.emplace_back(slot.visits.empty() ? WallTime{} : slot.visits.back().at, slot.id);
  }
  std::ranges::sort(open);
  std::vector<std::string> ids;
  for (auto& [at, id] : open) ids.push_back(std::move(id));
  return ids;
}

std::string slot_of(const RetryLedger& ledger,
                    const Sibling& pod,
                    const std::vector<Sibling>& live,
                    std::uint32_t replicas,
                    const std::set<std::string>& not_in) {
  for (const Slot& slot : ledger.slots) {
    if (std::ranges::find(slot.counted, pod.uid) != slot.counted.end()) return slot.id;
  }
  if (!pod.slot.empty() && ledger.find(pod.slot) != nullptr) {
    const bool older_right =
        std::ranges::any_of(live, [&](const Sibling& other) { return other.slot == pod.slot && other.uid < pod.uid; });
    if (!older_right) return pod.slot;
  }
  for (std::string& open : open_slots(ledger, live)) {
    if (!not_in.contains(open)) return std::move(open);
  }
  if (ledger.slots.size() < std::max<std::uint32_t>(replicas, 1)) return new_id(ledger);
  // More pods than replicas, as in a rollout: the retries never exceed those of all replicas together.
  return std::ranges::min_element(ledger.slots, {}, [](const Slot& slot) { return std::pair{slot.times, slot.id}; })
      ->id;
}

std::string RetryDecision::sentence() const {
  std::string text = fmt::format("attempt {} of {}", attempt, of);
  if (!avoiding.empty()) text += fmt::format(", avoiding {}", fmt::join(avoiding, ", "));
  return text;
}

RetryDecision judge(RetryLedger ledger,
                    RetryOwner owner,
                    const PodFailure& failure,
                    const config::RecoverySettings& settings,
                    const std::set<std::string>& faulty_nodes,
                    WallTime now) {
  prune(ledger, settings.visited, now);
  RetryDecision decision;
  decision.of = owner.retries;
  decision.slot = failure.slot;
  Slot& slot = ledger.at(failure.slot);
  const auto names_of = [](const std::vector<Visit>& visits) {
    std::vector<std::string> names;
    for (const Visit& visit : visits) names.push_back(visit.node);
    return names;
  };
  const bool counted = std::ranges::find(slot.counted, failure.pod) != slot.counted.end();
  if (counted) {
    decision.retry_verdict = RetryVerdict::AlreadyCounted;
    decision.attempt = slot.times;
    decision.avoiding = names_of(slot.visits);
    decision.ledger = std::move(ledger);
    return decision;
  }
  // A DaemonSet pod has one node, so its failure is no evidence about other nodes.
  const bool moves = owner.kind != OwnerKind::DaemonSet;
  std::set<std::string> suspected_nodes{failure.node};
  for (const std::string& node : ledger.nodes()) suspected_nodes.insert(node);
  for (const std::string& node : faulty_nodes) suspected_nodes.erase(node);
  const bool exhausted = slot.times >= owner.retries;
  const std::size_t enough = exhausted
                                 ? std::min<std::size_t>(owner.retries + std::size_t{1}, settings.application_after)
                                 : settings.application_after;
  decision.attempt = slot.times;
  if (moves && enough > 1 && suspected_nodes.size() >= enough) {
    decision.retry_verdict = RetryVerdict::Application;
  } else if (exhausted) {
    decision.retry_verdict = RetryVerdict::Exhausted;
  } else {
    ++slot.times;
    decision.attempt = slot.times;
    slot.counted.push_back(failure.pod);
    if (slot.counted.size() > kMostCounted) slot.counted.erase(slot.counted.begin());
    if (moves) {
      std::erase_if(slot.visits, [&](const Visit& visit) { return visit.node == failure.node; });
      slot.visits.push_back({failure.node, now, failure.lost});
    }
  }
  decision.avoiding = names_of(slot.visits);
  prune(ledger, settings.visited, now);
  decision.ledger = std::move(ledger);
  return decision;
}

bool reset_slot(RetryLedger& ledger, std::string_view id) {
  const auto found = std::ranges::find(ledger.slots, id, &Slot::id);
  if (found == ledger.slots.end() || found->times == 0) return false;
  found->times = 0;
  found->counted.clear();
  return true;
}

}  // namespace rescheduler::rescheduling::recovery
