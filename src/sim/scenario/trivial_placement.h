// Replaces a scheduler: binds every pending pod to the next node, round-robin, that fits (pod_needs.h).
// Ignores schedulerName. It neither scores nor preempts.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "sim/scenario/node_rooms.h"
#include "sim/server/server.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class TrivialPlacement {
 public:
  // Between the creation of a pod and its binding, about the latency of a real scheduler. Another component can bind
  // the pod first within this time.
  static constexpr std::chrono::milliseconds kLag{5};
  // Pods that did not fit are tried again, all at once, this long after a change.
  static constexpr std::chrono::milliseconds kRetryLag{500};

  explicit TrivialPlacement(Server& server);
  ~TrivialPlacement();
  TrivialPlacement(const TrivialPlacement&) = delete;
  TrivialPlacement& operator=(const TrivialPlacement&) = delete;

  std::uint64_t placed() const { return placed_; }
  std::size_t waiting() const { return queue_.size() + unplaced_.size(); }

 private:
  void on_pod(const Change& change);
  void enqueue(const std::string& key);
  void schedule_run();
  void schedule_retry();
  void run();
  void place(const std::string& key);
  void report_unschedulable(const api::Pod& pod);

  Server& server_;
  NodeRooms rooms_;
  struct QueuedPod {
    std::string key;
    SteadyTime at;
  };
  std::deque<QueuedPod> queue_;  // sorted by time
  std::unordered_set<std::string> queued_;
  std::set<std::string> unplaced_;  // did not fit in the last attempt
  std::uint64_t placed_ = 0;
  Agenda::Ticket run_{};
  Agenda::Ticket retry_{};
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace rescheduler::sim
