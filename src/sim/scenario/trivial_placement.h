// Stands in where no scheduler runs: every pending pod goes to the next node, in turn, that it fits (pod_needs.h).
// Whatever schedulerName a pod has. It neither scores nor preempts.
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
  // Between a pod's appearance and its binding, for every pod; about what a real scheduler takes. Who wants to place a
  // pod first has that long.
  static constexpr std::chrono::milliseconds kLag{5};
  // Pods that did not fit are tried again this long after something changed, all of them at once.
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
  void say_unschedulable(const api::Pod& pod);

  Server& server_;
  NodeRooms rooms_;
  struct Turn {
    std::string key;
    SteadyTime at;
  };
  std::deque<Turn> queue_;  // in order of time
  std::unordered_set<std::string> queued_;
  std::set<std::string> unplaced_;  // did not fit anywhere when last tried
  std::uint64_t placed_ = 0;
  Agenda::Ticket run_{};
  Agenda::Ticket retry_{};
  std::unique_ptr<Store::Subscription> subscription_;
};

}  // namespace rescheduler::sim
