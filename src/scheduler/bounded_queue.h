// Work that is done a few at a time on the event loop: what does not fit waits its turn. Belongs to the loop's thread.
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

  // Kept alive while there is work: what the work uses, this lane included.
  void keep(std::weak_ptr<void> owner) { owner_ = std::move(owner); }
  void add(Work work);
  std::size_t waiting() const { return waiting_.size(); }
  std::size_t running() const { return running_; }
  bool idle() const { return waiting_.empty() && running_ == 0; }
  net::Task<Result<void>> wait_idle();
  // What has not been begun is not begun any more.
  void drop_waiting() { waiting_.clear(); }

 private:
  net::Task<void> work_off(std::shared_ptr<void> owner);

  net::Executor executor_;
  std::string name_;
  std::size_t at_once_;
  std::weak_ptr<void> owner_;
  std::size_t running_ = 0;
  std::deque<Work> waiting_;
  std::shared_ptr<net::Gate> emptied_;  // null: nobody waits for it
};

}  // namespace rescheduler::scheduler
