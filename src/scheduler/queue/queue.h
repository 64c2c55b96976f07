// The pods that want a node, in the order they get a turn: kube-scheduler's scheduling queue.
//
//            add                          pop                    done (it has a node, or is gone)
//   --------------------> Active -------------------> in flight -------->
//     |  gate closed        ^  ^                         |
//     v                     |  | back-off over (tick),   | failed: what happened since pop decides
//   Gated ------------------+  | activate, or nothing    |
//     gate's plugin heard      | else to do (pop; not    |
//     of something, and the    | after an error)         |
//     gate is open             |                         |
//                           Backoff <--------------------+-- something may have helped, or it was an error
//                              ^                         |
//   Something helped (a hint): |                         v
//   to Backoff, or Active  <---+------------------ Unschedulable <-- nothing did
//   if back-off is over
//
// Nobody waits in Unschedulable for something that has already happened: what happens while a pod is in flight is
// kept and replayed when it comes back.
//
// It belongs to the decision thread; there are no locks. `now` must never go back between calls: give it a wall time
// carried on by the steady clock.
//
// What the caller sees to: pods that it has assumed on a node (between done() and the API server's word) are not
// handed to update(); failed() after done() is given the object as it is by then, and only if the pod still exists
// without a node.
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
  // Nobody waits longer than this for something to happen: a hint may be wrong. kube-scheduler's 5 minutes.
  std::chrono::nanoseconds unschedulable_timeout = std::chrono::minutes{5};
};

// What the queue asks of the plugins. None of these may call the queue.
struct QueuePlugins {
  std::vector<ProfilePlugins> profiles{};  // by PodObject::profile
  // PreEnqueue. While it is asked, pod.gate is the gate that was closed last: that plugin is worth asking first.
  std::function<std::optional<GateReason>(const WaitingPod& pod)> pre_enqueue{};
  // Asks interest.hint, which is set, on behalf of this pod.
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
  // How often pods that wait too long are looked for; kube-scheduler's figure. Finer would wake an idle scheduler for
  // nothing: the timeout itself is minutes.
  static constexpr std::chrono::seconds kLeftoversPeriod{30};

  Queue(QueueSettings settings, QueuePlugins plugins, WallTime now, QueueMetrics* metrics = nullptr);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // A pod without a node was seen for the first time.
  void add(PodObject object, WallTime now);
  // A pod without a node changed; `what` (a TargetPod happening) says in which respects, null: in none that matter.
  void update(PodObject object, cluster::ClusterEventPtr what, WallTime now);
  // It is gone, or has a node. In flight too: failed() then drops it.
  void remove(std::string_view uid, WallTime now);

  // The pod whose turn it is; it is in flight until done() or failed().
  std::optional<WaitingPod> pop(WallTime now);
  // The attempt ended without a node. No rejectors and no pending: it was an error, no plugin's word.
  // The answer: where it waits now; nothing: it was removed meanwhile, or waits already.
  std::optional<Place> failed(WaitingPod pod, PluginIndexSet rejectors, PluginIndexSet pending, WallTime now);
  void done(std::string_view uid);

  // Something happened in the cluster. `at_most`: only pods of at most this priority can profit (a nomination that
  // was given up frees nothing for pods that never respected it).
  void on_event(cluster::ClusterEventPtr what, WallTime now, std::optional<std::int32_t> at_most = std::nullopt);
  // Would happened() make any difference now? If not, the model need not tell.
  bool cares() const { return !rejected_.empty() || !in_flight_.empty(); }
  bool cares(cluster::EventResource resource, cluster::ActionTypes changes) const;

  // These shall have their turn now, whatever they wait for.
  void activate(std::span<const std::string> uids, WallTime now);

  // Back-offs that are over, and pods that waited too long.
  void tick(WallTime now);
  // When tick() next has something to do; nothing: not before something else happens.
  std::optional<WallTime> next_deadline() const;

  bool ready() const { return !active_.empty() || !backoff_.empty(); }  // would pop() find a pod?
  std::size_t size(Place place) const { return sizes_[static_cast<std::size_t>(place)]; }
  std::size_t size() const { return entries_.size(); }  // without those in flight
  const InFlight& in_flight() const { return in_flight_; }

  struct Listed {
    const WaitingPod* pod;
    Place place;
    std::optional<WallSecond> backoff_end;  // in Backoff only
  };
  std::optional<Listed> find(std::string_view uid) const;
  std::vector<Listed> list() const;  // by place, each in its order; pointers live until the next change

 private:
  struct Entry : WaitingEntry {
    Place place = Place::Active;
    bool placed = false;              // in the structure of its place
    std::optional<WallSecond> end{};  // of its back-off
    std::uint64_t order = 0;          // breaks ties: who came (back) first
    WallTime stale_since{};           // since when nothing has been tried for it
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
  bool gate_deaf_to(const WaitingPod& pod, const cluster::ClusterEvent& what) const;
  void wake(Entry& entry, const cluster::ClusterEvent& what, WallTime now);
  void flush_backoff(WallTime now);
  void flush_leftovers(WallTime now);

  void came_in(Place place, std::string_view event);
  void resized(Place place, int change);
  void blame(const WaitingPod& pod, PluginIndexSet plugins, int change);

  QueueSettings settings_;
  QueuePlugins plugins_;
  QueueingHintMap hint_map_;
  QueueMetrics* metrics_;

  boost::unordered_flat_map<std::string, std::unique_ptr<Entry>, TextHash, std::equal_to<>> entries_;
  std::set<Entry*, ActiveOrder> active_{ActiveOrder{this}};
  std::set<Entry*, BackoffOrder> backoff_{BackoffOrder{this}};
  std::set<Entry*, ErrorOrder> error_backoff_;  // never popped before its time
  RejectedPods rejected_;                       // Unschedulable and Gated
  InFlight in_flight_;
  std::array<std::size_t, kPlaces> sizes_{};
  std::uint64_t next_order_ = 0;
  WallTime next_leftovers_;
};

std::string_view to_string(Queue::Place place);

}  // namespace rescheduler::scheduler
