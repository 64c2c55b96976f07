#include "scheduler/work_lane.h"

namespace rescheduler::scheduler {

void WorkLane::add(Work work) {
  waiting_.push_back(std::move(work));
  if (running_ >= at_once_) return;
  ++running_;
  net::spawn(executor_, name_, work_off(owner_.lock()));
}

net::Task<void> WorkLane::work_off(std::shared_ptr<void> /*owner: kept until the last of it is done*/) {
  while (!waiting_.empty()) {
    const Work next = std::move(waiting_.front());
    waiting_.pop_front();
    co_await next();
  }
  --running_;
}

}  // namespace rescheduler::scheduler
