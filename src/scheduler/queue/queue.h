// The pending pods in the order of their scheduling attempts: kube-scheduler's scheduling queue.
//
//            add                          pop                    done (assumed, or deleted)
//   --------------------> Active -------------------> in flight -------->
//     |  gated              ^  ^                         |
//     v                     |  | backoff over (tick),    | failed: the events since pop decide
//   Gated ------------------+  | activate, or Active is  |
//     event for the plugin     | empty (pop; not         |
//     that gated the pod,      | after an error)         |
//     PreEnqueue passes        |                         |
//                           Backoff <--------------------+-- an event may have helped, or it was an error
//                              ^                         |
//   An event helped (hint):    |                         v
//   to Backoff, or Active  <---+------------------ Unschedulable <-- no event helped
//   if backoff is over
//
// A pod never waits in Unschedulable for an event that has already happened: events are stored while a pod is in flight
// and replayed when the attempt fails.
//
// All calls on the decision thread; there are no locks. `now` must never go back between calls: derive it from a wall
// time advanced by the steady clock.
//
// The caller must ensure:
//   - update() is not called for a pod that is assumed (between done() and the result from the API server).
//   - failed() after done() gets the current object, and is called only if the pod still exists without a node.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/clock.h"
#include "cluster/cluster_event.h"
#include "placement/plugin.h"
#include "scheduler/queue/in_flight.h"
#include "scheduler/queue/queueing_hint_map.h"
#include "scheduler/queue/rejected_pods.h"
#include "scheduler/queue/retry_window.h"
#include "scheduler/queue/waiting_pod.h"

namespace rescheduler::scheduler {

class QueueMetrics;

struct QueueSettings {
  RetrySettings retry{};
  // A pod is retried after this time even without an event, because a hint may be wrong. kube-scheduler's 5 minutes.
  std::chrono::nanoseconds unschedulable_timeout = std::chrono::minutes{5};
};

// What the queue needs from the plugins. These functions must not call the queue.
struct QueuePlugins {
  std::vector<ProfilePlugins> profiles{};  // by PodObject::profile
  // PreEnqueue. During the call pod.gate is the last gate reason: the plugin in it should be checked first.
  std::function<std::optional<GateReason>(const WaitingPod& pod)> pre_enqueue{};
  // Calls event_with_hint.hint, which is set, for this pod.
  std::function<placement::QueueingHint(const WaitingPod& pod,
                                        const placement::ClusterEventWithHint& event_with_hint,
                                        const cluster::ClusterEvent& what)>
      hint{};
  std::function<bool(const WaitingPod& a, const WaitingPod& b)> before = more_urgent;  // QueueSort
};

class Queue {
 public:
  enum class Place : std::uint8_t { Active, Backoff, Unschedulable, Gated };
  static constexpr std::size_t kPlaces = 4;
  // How often the queue looks for pods that wait longer than unschedulable_timeout; kube-scheduler's value. A shorter
  // period would wake an idle scheduler for nothing: the timeout is minutes.
  static constexpr std::chrono::seconds kLeftoversPeriod{30};

  Queue(QueueSettings settings, QueuePlugins plugins, WallTime now, QueueMetrics* metrics = nullptr);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // A pod without a node was added.
  void add(PodObject object, WallTime now);
  // A pod without a node changed. `what` is a TargetPod event with the changed aspects; null: no relevant change.
  void update(PodObject object, cluster::ClusterEventPtr what, WallTime now);
  // The pod was deleted or has a node. If it is in flight, failed() drops it.
  void remove(std::string_view uid, WallTime now);

  // The next pod of the active queue. The pod is in flight until done() or failed().
  std::optional<WaitingPod> pop(WallTime now);
  // The attempt ended without a node. Empty `rejectors` and `pending` mean an error, not a rejection by plugins.
  // Returns the new place; nullopt: the pod was removed in the meantime, or is queued already.
  std::optional<Place> failed(WaitingPod pod, PluginIndexSet rejectors, PluginIndexSet pending, WallTime now);
  void done(std::string_view uid);

  // A cluster event. `at_most`: only pods of at most this priority can profit. A cleared nomination frees nothing for
  // pods of higher priority, which never respected it.
  void on_event(cluster::ClusterEventPtr what, WallTime now, std::optional<std::int32_t> at_most = std::nullopt);
  // True if on_event() can have an effect now. If not, the cluster model need not report events.
  bool awaits_events() const { return !rejected_.empty() || !in_flight_.empty(); }
  bool awaits_events(cluster::EventResource resource, cluster::ActionTypes changes) const;

  // Moves these pods to Active now, whatever event they wait for; PreEnqueue still applies.
  void activate(std::span<const std::string> uids, WallTime now);

  // Handles expired backoffs and pods that exceed unschedulable_timeout.
  void tick(WallTime now);
  // When tick() has work next; nullopt: not before another call.
  std::optional<WallTime> next_deadline() const;

  bool ready() const { return !active_.empty() || !backoff_.empty(); }  // true if pop() returns a pod
  std::size_t size(Place place) const { return sizes_[static_cast<std::size_t>(place)]; }
  std::size_t size() const { return entries_.size(); }  // without the pods in flight
  const InFlight& in_flight() const { return in_flight_; }

  struct Listed {
    const WaitingPod* pod;
    Place place;
    std::optional<WallSecond> backoff_end;  // in Backoff only
  };
  std::optional<Listed> find(std::string_view uid) const;
  std::vector<Listed> list() const;  // by place, each in its order; the pointers are valid until the next change

 private:
  struct Entry : WaitingEntry {
    Place place = Place::Active;
    bool placed = false;              // it is in the structure of its place
    std::optional<WallSecond> end{};  // of its backoff
    std::uint64_t order = 0;          // breaks ties: the entry that was queued first
    WallTime stale_since{};           // when it was queued, or last requeued by unschedulable_timeout
  };
  struct TextHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  struct ActiveOrder {
    const Queue* queue;
    bool operator()(const Entry* a, const Entry* b) const;
  };
  struct BackoffOrder {
    const Queue* queue;
    bool operator()(const Entry* a, const Entry* b) const;
  };
  struct ErrorOrder {
    bool operator()(const Entry* a, const Entry* b) const;
  };

  static cluster::ClusterEventPtr about_one(std::string_view uid, std::string_view label);
  Entry* entry_of(std::string_view uid) const;
  Entry& insert(WaitingPod pod, WallTime now);
  void come(PodObject object, std::string_view event, WallTime now);
  void replace(Entry& entry, PodObject object);
  void erase(Entry& entry);
  void put(Entry& entry, Place place);
  void take_out(Entry& entry);

  bool passes_gate(Entry& entry);
  void to_active(Entry& entry, std::string_view event, bool gate_known_open, WallTime now);
  void to_backoff(Entry& entry, std::string_view event);
  void hold(Entry& entry, Place place, std::string_view event, bool held_before);
  void requeue(Entry& entry, Wake how, std::string_view event, WallTime now);

  Wake judge(const WaitingPod& pod, const cluster::ClusterEvent& what) const;
  Wake replay(const WaitingPod& pod) const;
  bool gate_ignores(const WaitingPod& pod, const cluster::ClusterEvent& what) const;
  void wake(Entry& entry, const cluster::ClusterEvent& what, WallTime now);
  void flush_backoff(WallTime now);
  void flush_leftovers(WallTime now);

  void count_incoming(Place place, std::string_view event);
  void resized(Place place, int change);
  void count_unschedulable(const WaitingPod& pod, PluginIndexSet plugins, int change);

  QueueSettings settings_;
  QueuePlugins plugins_;
  QueueingHintMap hint_map_;
  QueueMetrics* metrics_;

  boost::unordered_flat_map<std::string, std::unique_ptr<Entry>, TextHash, std::equal_to<>> entries_;
  std::set<Entry*, ActiveOrder> active_{ActiveOrder{this}};
  std::set<Entry*, BackoffOrder> backoff_{BackoffOrder{this}};
  std::set<Entry*, ErrorOrder> error_backoff_;  // not popped before the backoff is over
  RejectedPods rejected_;                       // Unschedulable and Gated
  InFlight in_flight_;
  std::array<std::size_t, kPlaces> sizes_{};
  std::uint64_t next_order_ = 0;
  WallTime next_leftovers_;
};

std::string_view to_string(Queue::Place place);

}  // namespace rescheduler::scheduler
