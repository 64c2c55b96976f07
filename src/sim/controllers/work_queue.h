// The keys that a controller must reconcile: each key once, in the order of addition, one at a time on the agenda.
//
// A controller subscribes to changes and adds the keys that they concern. A burst of changes to one object costs one
// reconcile, and no controller writes during the write of another controller.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <unordered_set>

#include "sim/time/agenda.h"

namespace rescheduler::sim {

class WorkQueue {
 public:
  using Reconcile = std::function<void(const std::string& key)>;
  // `lag` is the time between a change and the reconcile: watch latency and queueing of a real controller.
  WorkQueue(Agenda& agenda, Agenda::Duration lag, Reconcile reconcile);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(const std::string& key);
  void add_after(const std::string& key, Agenda::Duration delay);  // an earlier time for the key wins
  // After a failure: 5 ms, doubled with each consecutive failure up to 1000 s, like client-go's default rate limiter.
  void add_after_failure(const std::string& key);
  void forget_failures(const std::string& key);
  std::size_t size() const { return waiting_.size(); }

 private:
  void schedule();
  void run();

  Agenda& agenda_;
  Agenda::Duration lag_;
  Reconcile reconcile_;
  std::deque<std::string> waiting_;
  std::unordered_set<std::string> queued_;
  std::map<std::string, Agenda::Ticket> later_;
  std::map<std::string, int> failures_;
  Agenda::Ticket run_{};
};

}  // namespace rescheduler::sim
