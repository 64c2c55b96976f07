#include "scheduler/queue/queue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/queue/queue_metrics.h"

namespace rescheduler::scheduler {

using cluster::ClusterEvent;
using cluster::ClusterEventPtr;

namespace {

// Reasons for queueing a pod other than cluster events; kube-scheduler's labels of scheduler_queue_incoming_pods_total.
constexpr std::string_view kAdded = "UnscheduledPodAdd";
constexpr std::string_view kUpdated = "UnscheduledPodUpdate";
constexpr std::string_view kAttemptFailed = "ScheduleAttemptFailure";
constexpr std::string_view kPoppedFromBackoff = "PopFromBackoffQ";

bool same_version(const PodObject& a, const PodObject& b) {
  const std::string& version = a.pod->metadata().resource_version();
  return !version.empty() && version == b.pod->metadata().resource_version();
}

}  // namespace

std::string_view to_string(Queue::Place place) {
  switch (place) {
    case Queue::Place::Active: return "active";
    case Queue::Place::Backoff: return "backoff";
    case Queue::Place::Unschedulable: return "unschedulable";
    case Queue::Place::Gated: return "gated";
  }
  return "unknown";
}

bool Queue::ActiveOrder::operator()(const Entry* a, const Entry* b) const {
  const auto& before = queue->plugins_.before;
  if (before(a->pod, b->pod)) return true;
  if (before(b->pod, a->pod)) return false;
  return a->order < b->order;
}

bool Queue::BackoffOrder::operator()(const Entry* a, const Entry* b) const {
  if (a->end != b->end) return a->end < b->end;
  return ActiveOrder{queue}(a, b);
}

bool Queue::ErrorOrder::operator()(const Entry* a, const Entry* b) const {
  return a->end != b->end ? a->end < b->end : a->order < b->order;
}

Queue::Queue(QueueSettings settings, QueuePlugins plugins, WallTime now, QueueMetrics* metrics)
    : settings_(settings),
      plugins_(std::move(plugins)),
      hint_map_(plugins_.profiles),
      metrics_(metrics),
      in_flight_(metrics),
      next_leftovers_(now + kLeftoversPeriod) {
  for (std::size_t i = 0; i < kPlaces; ++i) resized(static_cast<Place>(i), 0);
}

Queue::~Queue() = default;

ClusterEventPtr Queue::about_one(std::string_view uid, std::string_view label) {
  ClusterEvent what;
  what.label = label;
  what.uid = uid;
  return std::make_shared<const ClusterEvent>(std::move(what));
}

// --- add, update, remove

void Queue::add(PodObject object, WallTime now) {
  const std::string& uid = object.uid();
  if (entry_of(uid) == nullptr && in_flight_.find(uid) == nullptr) {
    come(std::move(object), kAdded, now);
    return;
  }
  // The pod is known, and the caller has not compared the versions: treat it as a change.
  ClusterEventPtr what = about_one(uid, kAdded);
  update(std::move(object), std::move(what), now);
}

void Queue::update(PodObject object, ClusterEventPtr what, WallTime now) {
  const std::string uid = object.uid();
  if (InFlight::Pod* flying = in_flight_.find(uid); flying != nullptr) {
    flying->removed = false;
    if (same_version(flying->object, object)) return;
    flying->object = std::move(object);
    if (what) in_flight_.on_pod_event(uid, std::move(what));
    return;
  }
  Entry* entry = entry_of(uid);
  if (entry == nullptr) {
    come(std::move(object), kUpdated, now);
    return;
  }
  if (same_version(entry->pod.object, object)) return;
  replace(*entry, std::move(object));
  const bool rejected = entry->place == Place::Unschedulable || entry->place == Place::Gated;
  if (what && rejected) wake(*entry, *what, now);
}

void Queue::remove(std::string_view uid, WallTime /*now*/) {
  if (InFlight::Pod* flying = in_flight_.find(uid); flying != nullptr) flying->removed = true;
  Entry* entry = entry_of(uid);
  if (entry == nullptr) return;
  take_out(*entry);
  count_unschedulable(entry->pod, entry->pod.rejectors | entry->pod.pending, -1);
  erase(*entry);
}

std::optional<WaitingPod> Queue::pop(WallTime /*now*/) {
  Entry* entry = nullptr;
  if (!active_.empty()) {
    entry = *active_.begin();
  } else if (!backoff_.empty()) {
    // An early retry is better than an idle scheduler. Pods in error_backoff_ wait, because an error needs its backoff.
    entry = *backoff_.begin();
    count_incoming(Place::Active, kPoppedFromBackoff);
  } else {
    return std::nullopt;
  }
  take_out(*entry);
  WaitingPod pod = std::move(entry->pod);
  entries_.erase(entries_.find(pod.uid()));
  count_unschedulable(pod, pod.rejectors | pod.pending, -1);
  pod.rejectors = {};
  pod.pending = {};
  pod.gate.reset();
  ++pod.attempts;
  in_flight_.begin(pod.object);
  return pod;
}

std::optional<Queue::Place> Queue::failed(WaitingPod pod,
                                          PluginIndexSet rejectors,
                                          PluginIndexSet pending,
                                          WallTime now) {
  const std::string uid = pod.uid();
  bool removed = false;
  if (InFlight::Pod* flying = in_flight_.find(uid); flying != nullptr) {
    removed = flying->removed;
    pod.object = flying->object;
  }
  if (removed || entry_of(uid) != nullptr) {
    in_flight_.end(uid);
    return std::nullopt;
  }
  pod.rejectors = rejectors;
  pod.pending = pending;
  pod.gate.reset();
  if ((rejectors | pending).empty()) {
    ++pod.errors;
  } else {
    pod.errors = 0;
    ++pod.rejections;
  }
  pod.timestamp = now;
  pod.flushed = false;
  const Wake answer = replay(pod);
  in_flight_.end(uid);
  count_unschedulable(pod, rejectors | pending, 1);
  Entry& entry = insert(std::move(pod), now);
  requeue(entry, answer, kAttemptFailed, now);
  return entry.place;
}

void Queue::done(std::string_view uid) { in_flight_.end(uid); }

Queue::Entry* Queue::entry_of(std::string_view uid) const {
  const auto found = entries_.find(uid);
  return found == entries_.end() ? nullptr : found->second.get();
}

void Queue::come(PodObject object, std::string_view event, WallTime now) {
  WaitingPod pod;
  pod.object = std::move(object);
  pod.added = now;
  pod.timestamp = now;
  to_active(insert(std::move(pod), now), event, false, now);
}

Queue::Entry& Queue::insert(WaitingPod pod, WallTime now) {
  RESCHEDULER_CHECK(pod.object.profile < plugins_.profiles.size(), "there is no profile {}", pod.object.profile);
  auto entry = std::make_unique<Entry>();
  entry->pod = std::move(pod);
  entry->end = backoff_end(entry->pod, settings_.retry);
  entry->order = next_order_++;
  entry->stale_since = now;
  Entry& there = *entry;
  entries_.emplace(there.pod.uid(), std::move(entry));
  return there;
}

void Queue::erase(Entry& entry) { entries_.erase(entries_.find(entry.pod.uid())); }

void Queue::replace(Entry& entry, PodObject object) {
  RESCHEDULER_CHECK(object.profile < plugins_.profiles.size(), "there is no profile {}", object.profile);
  take_out(entry);
  const PluginIndexSet rejected_by = entry.pod.rejectors | entry.pod.pending;
  count_unschedulable(entry.pod, rejected_by, -1);
  entry.pod.object = std::move(object);
  count_unschedulable(entry.pod, rejected_by, 1);
  put(entry, entry.place);
}

void Queue::put(Entry& entry, Place place) {
  entry.place = place;
  entry.placed = true;
  switch (place) {
    case Place::Active: active_.insert(&entry); break;
    case Place::Backoff:
      if (entry.pod.errors > 0) {
        error_backoff_.insert(&entry);
      } else {
        backoff_.insert(&entry);
      }
      break;
    case Place::Unschedulable:
    case Place::Gated: rejected_.add(entry); break;
  }
  resized(place, 1);
}

void Queue::take_out(Entry& entry) {
  if (!entry.placed) return;
  entry.placed = false;
  switch (entry.place) {
    case Place::Active: active_.erase(&entry); break;
    case Place::Backoff:
      if (entry.pod.errors > 0) {
        error_backoff_.erase(&entry);
      } else {
        backoff_.erase(&entry);
      }
      break;
    case Place::Unschedulable:
    case Place::Gated: rejected_.remove(entry); break;
  }
  resized(entry.place, -1);
}

// --- transitions between places

bool Queue::passes_gate(Entry& entry) {
  WaitingPod& pod = entry.pod;
  pod.gate = plugins_.pre_enqueue ? plugins_.pre_enqueue(pod) : std::nullopt;
  if (!pod.gate) return true;
  if (!(pod.rejectors | pod.pending).has(pod.gate->plugin))
    count_unschedulable(pod, PluginIndexSet::only(pod.gate->plugin), 1);
  pod.rejectors.add(pod.gate->plugin);
  return false;
}

void Queue::to_active(Entry& entry, std::string_view event, bool gate_known_open, WallTime now) {
  const bool held_before = entry.placed && entry.place != Place::Backoff;
  take_out(entry);
  if (!gate_known_open && !passes_gate(entry)) {
    hold(entry, Place::Gated, event, held_before);
    return;
  }
  if (!entry.pod.first_ready) entry.pod.first_ready = now;
  put(entry, Place::Active);
  count_incoming(Place::Active, event);
}

void Queue::to_backoff(Entry& entry, std::string_view event) {
  const bool held_before = entry.placed;
  take_out(entry);
  // The gate is checked here and not again when the backoff is over: pop() can take the pod from Backoff at any time.
  if (!passes_gate(entry)) {
    hold(entry, Place::Gated, event, held_before);
    return;
  }
  put(entry, Place::Backoff);
  count_incoming(Place::Backoff, event);
}

void Queue::hold(Entry& entry, Place place, std::string_view event, bool held_before) {
  put(entry, place);
  if (!held_before) count_incoming(Place::Unschedulable, event);
}

// For an entry in Unschedulable or Gated, or after a failed attempt.
void Queue::requeue(Entry& entry, Wake how, std::string_view event, WallTime now) {
  if (how == Wake::No) {
    if (!entry.placed) hold(entry, Place::Unschedulable, event, false);
    return;
  }
  if (how == Wake::AfterBackoff && backing_off(entry.end, now)) {
    to_backoff(entry, event);
  } else {
    to_active(entry, event, false, now);
  }
}

// --- inspection

std::optional<Queue::Listed> Queue::find(std::string_view uid) const {
  const Entry* entry = entry_of(uid);
  if (entry == nullptr) return std::nullopt;
  return Listed{.pod = &entry->pod,
                .place = entry->place,
                .backoff_end = entry->place == Place::Backoff ? entry->end : std::nullopt};
}

std::vector<Queue::Listed> Queue::list() const {
  std::vector<Listed> pods;
  pods.reserve(entries_.size());
  for (const Entry* entry : active_) pods.push_back(*find(entry->pod.uid()));
  for (const Entry* entry : backoff_) pods.push_back(*find(entry->pod.uid()));
  for (const Entry* entry : error_backoff_) pods.push_back(*find(entry->pod.uid()));
  std::vector<const Entry*> held;
  rejected_.each([&](WaitingEntry& entry) { held.push_back(&static_cast<Entry&>(entry)); });
  std::ranges::sort(held, {}, [](const Entry* entry) { return std::pair{entry->place, entry->order}; });
  for (const Entry* entry : held) pods.push_back(*find(entry->pod.uid()));
  return pods;
}

void Queue::count_incoming(Place place, std::string_view event) {
  if (metrics_ != nullptr) metrics_->count_incoming(to_string(place), event);
}

void Queue::resized(Place place, int change) {
  std::size_t& size = sizes_[static_cast<std::size_t>(place)];
  size = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(size) + change);
  if (metrics_ != nullptr) metrics_->waiting(to_string(place), size);
}

void Queue::count_unschedulable(const WaitingPod& pod, PluginIndexSet plugins, int change) {
  if (metrics_ == nullptr) return;
  const ProfilePlugins& profile = plugins_.profiles[pod.object.profile];
  plugins.each([&](std::size_t slot) {
    const bool known = slot < profile.plugins.size();
    metrics_->count_unschedulable(known ? std::string_view{profile.plugins[slot].name} : "Extender", profile.name,
                                  change);
  });
}

}  // namespace rescheduler::scheduler
