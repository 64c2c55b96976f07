#include "sim/controllers/work_queue.h"

#include <algorithm>
#include <utility>

namespace rescheduler::sim {

using std::chrono::milliseconds;

WorkQueue::WorkQueue(Agenda& agenda, Agenda::Duration lag, Reconcile reconcile)
    : agenda_(agenda), lag_(lag), reconcile_(std::move(reconcile)) {}

WorkQueue::~WorkQueue() {
  agenda_.cancel(run_);
  for (const auto& [key, ticket] : later_) agenda_.cancel(ticket);
}

void WorkQueue::add(const std::string& key) {
  if (!queued_.insert(key).second) return;
  waiting_.push_back(key);
  schedule();
}

void WorkQueue::add_after(const std::string& key, Agenda::Duration delay) {
  if (delay <= Agenda::Duration{0}) return add(key);
  const auto known = later_.find(key);
  if (known != later_.end()) {
    if (known->second.at <= agenda_.steady_now() + delay) return;
    agenda_.cancel(known->second);
  }
  later_[key] = agenda_.after(delay, [this, key] {
    later_.erase(key);
    add(key);
  });
}

void WorkQueue::add_after_failure(const std::string& key) {
  const int failures = failures_[key]++;
  const auto wait = std::min(milliseconds{5} * (std::int64_t{1} << std::min(failures, 30)), milliseconds{1'000'000});
  add_after(key, wait);
}

void WorkQueue::forget_failures(const std::string& key) { failures_.erase(key); }

void WorkQueue::schedule() {
  if (!run_) run_ = agenda_.after(lag_, [this] { run(); });
}

void WorkQueue::run() {
  run_ = {};
  if (waiting_.empty()) return;
  const std::string key = std::move(waiting_.front());
  waiting_.pop_front();
  queued_.erase(key);
  // The next key runs at the same time, but as a separate event.
  if (!waiting_.empty()) run_ = agenda_.after(Agenda::Duration{0}, [this] { run(); });
  reconcile_(key);
}

}  // namespace rescheduler::sim
