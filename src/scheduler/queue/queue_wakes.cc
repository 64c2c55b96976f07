// Requeues pods after cluster events and timeouts.
#include <algorithm>
#include <utility>

#include "scheduler/queue/queue.h"

namespace rescheduler::scheduler {

using cluster::ClusterEvent;
using cluster::ClusterEventPtr;
using cluster::EventResource;

namespace {

constexpr std::string_view kBackoffComplete = "BackoffComplete";
constexpr std::string_view kForced = "ForceActivate";
constexpr std::string_view kTimeout = "UnschedulableTimeout";

}  // namespace

Wake Queue::judge(const WaitingPod& pod, const ClusterEvent& what) const {
  const PluginIndexSet rejectors = pod.rejectors | pod.pending;
  if (!what.uid.empty() && what.uid != pod.uid()) return Wake::No;
  if (rejectors.empty() || wakes_all(what)) return Wake::AfterBackoff;

  Wake answer = rejectors.has(kExtenderSlot) ? Wake::AfterBackoff : Wake::No;
  hint_map_.each(
      pod.object.profile, rejectors, what,
      [&](std::size_t slot, const placement::ClusterEventWithHint& event_with_hint) {
        // If the result is AfterBackoff, only a pending plugin can still change it.
        if (answer == Wake::AfterBackoff && !pod.pending.has(slot)) return true;
        if (event_with_hint.hint && plugins_.hint(pod, event_with_hint, what) == placement::QueueingHint::Skip)
          return true;
        answer = pod.pending.has(slot) ? Wake::AtOnce : Wake::AfterBackoff;
        return answer != Wake::AtOnce;
      });
  return answer;
}

Wake Queue::replay(const WaitingPod& pod) const {
  if ((pod.rejectors | pod.pending).empty()) return Wake::AfterBackoff;
  Wake answer = Wake::No;
  const bool replayed = in_flight_.replay(pod.uid(), [&](const ClusterEvent& what) {
    answer = std::max(answer, judge(pod, what));
    return answer != Wake::AtOnce;
  });
  // The pod is no longer in flight, so its missed events are unknown: one of them may have helped.
  return replayed ? answer : Wake::AfterBackoff;
}

bool Queue::gate_ignores(const WaitingPod& pod, const ClusterEvent& what) const {
  if (!pod.gate || wakes_all(what)) return false;
  return !hint_map_.interested(pod.object.profile, what.resource, what.actions).has(pod.gate->plugin);
}

void Queue::wake(Entry& entry, const ClusterEvent& what, WallTime now) {
  if (gate_ignores(entry.pod, what)) return;
  requeue(entry, judge(entry.pod, what), what.label, now);
}

void Queue::on_event(ClusterEventPtr what, WallTime now, std::optional<std::int32_t> at_most) {
  if (!what->uid.empty()) {
    Entry* entry = entry_of(what->uid);
    const bool rejected = entry != nullptr && (entry->place == Place::Unschedulable || entry->place == Place::Gated);
    if (rejected) wake(*entry, *what, now);
    in_flight_.on_pod_event(what->uid, what);
    return;
  }
  if (!rejected_.empty()) {
    std::vector<WaitingEntry*> listeners;
    if (wakes_all(*what)) {
      rejected_.each([&](WaitingEntry& entry) { listeners.push_back(&entry); });
    } else {
      rejected_.collect(
          [&](std::size_t profile) { return hint_map_.interested(profile, what->resource, what->actions); }, listeners);
    }
    for (WaitingEntry* listener : listeners) {
      if (at_most && listener->pod.object.priority() > *at_most) continue;
      wake(static_cast<Entry&>(*listener), *what, now);
    }
  }
  in_flight_.on_event(std::move(what));
}

bool Queue::awaits_events(EventResource resource, cluster::ActionTypes changes) const {
  if (!in_flight_.empty()) return true;
  if (resource == EventResource::Anything) return !rejected_.empty();
  return rejected_.any([&](std::size_t profile) { return hint_map_.interested(profile, resource, changes); });
}

void Queue::activate(std::span<const std::string> uids, WallTime now) {
  for (const std::string& uid : uids) {
    Entry* entry = entry_of(uid);
    if (entry == nullptr) {
      in_flight_.on_pod_event(uid, about_one(uid, kForced));
    } else if (entry->place != Place::Active) {
      to_active(*entry, kForced, entry->place == Place::Backoff, now);
    }
  }
}

// --- time

void Queue::tick(WallTime now) {
  flush_backoff(now);
  flush_leftovers(now);
}

void Queue::flush_backoff(WallTime now) {
  while (!backoff_.empty() && !backing_off((*backoff_.begin())->end, now)) {
    to_active(**backoff_.begin(), kBackoffComplete, true, now);
  }
  while (!error_backoff_.empty() && !backing_off((*error_backoff_.begin())->end, now)) {
    to_active(**error_backoff_.begin(), kBackoffComplete, true, now);
  }
}

void Queue::flush_leftovers(WallTime now) {
  if (now < next_leftovers_) return;
  next_leftovers_ += (now - next_leftovers_) / kLeftoversPeriod * kLeftoversPeriod + kLeftoversPeriod;
  std::vector<Entry*> leftovers;
  rejected_.each([&](WaitingEntry& held) {
    auto& entry = static_cast<Entry&>(held);
    if (now - entry.stale_since > settings_.unschedulable_timeout) leftovers.push_back(&entry);
  });
  for (Entry* entry : leftovers) {
    entry->stale_since = now;
    requeue(*entry, Wake::AfterBackoff, kTimeout, now);
    entry->pod.flushed = entry->place != Place::Gated;
  }
}

std::optional<WallTime> Queue::next_deadline() const {
  std::optional<WallTime> soonest;
  const auto consider = [&](WallTime time) { soonest = soonest ? std::min(*soonest, time) : time; };
  if (!backoff_.empty()) consider(*(*backoff_.begin())->end + std::chrono::seconds{1});
  if (!error_backoff_.empty()) consider(*(*error_backoff_.begin())->end + std::chrono::seconds{1});
  if (!rejected_.empty()) consider(next_leftovers_);
  return soonest;
}

}  // namespace rescheduler::scheduler
