// What a controller still has to look at: each key once, in the order it was added, one at a time on the agenda.
//
// A controller subscribes to changes, adds the keys they concern, and reconciles a key when its turn comes - so that a
// burst of changes to one object costs one look, and no controller writes from within another's write.
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
  // `lag` is what passes between a change and the controller's look at it: watch latency and queueing of a real one.
  WorkQueue(Agenda& agenda, Agenda::Duration lag, Reconcile reconcile);
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void add(const std::string& key);
  void add_after(const std::string& key, Agenda::Duration delay);  // at the earliest then; an earlier one stands
  // After a failure: 5 ms, doubling with each in a row up to 1000 s, as client-go's default rate limiter does.
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
