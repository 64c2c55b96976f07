// Runs a limited number of tasks at the same time on the event loop; others wait. All calls on the loop's thread.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>

#include "net/event_loop.h"

namespace rescheduler::scheduler {

class BoundedQueue {
 public:
  using Work = std::function<net::Task<void>()>;

  BoundedQueue(net::Executor executor, std::string name, std::size_t at_once)
      : executor_(std::move(executor)), name_(std::move(name)), at_once_(at_once) {}

  // `owner` is kept alive while a task runs. It must own this queue and everything that the tasks use.
  void keep(std::weak_ptr<void> owner) { owner_ = std::move(owner); }
  void add(Work work);
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_; }
  bool idle() const { return waiting_.empty() && running_ == 0; }
  net::Task<Result<void>> wait_idle();
  // Drops the tasks that have not started.
  void drop_waiting() { waiting_.clear(); }

 private:
  net::Task<void> work_off(std::shared_ptr<void> owner);

  net::Executor executor_;
  std::string name_;
  std::size_t at_once_;
  std::weak_ptr<void> owner_;
  std::size_t running_ = 0;
  std::deque<Work> waiting_;
  std::shared_ptr<net::Gate> emptied_;  // null: no caller waits in wait_idle()
};

}  // namespace rescheduler::scheduler
