#include "scheduler/bounded_queue.h"

namespace rescheduler::scheduler {

void BoundedQueue::add(Work work) {
  waiting_.push_back(std::move(work));
  if (running_ >= at_once_) return;
  ++running_;
  net::spawn(executor_, name_, work_off(owner_.lock()));
}

net::Task<void> BoundedQueue::work_off(std::shared_ptr<void> /*owner: kept alive until the queue is empty*/) {
  while (!waiting_.empty()) {
    const Work next = std::move(waiting_.front());
    waiting_.pop_front();
    co_await next();
  }
  --running_;
  if (!idle() || !emptied_) co_return;
  emptied_->open();
  emptied_.reset();
}

net::Task<Result<void>> BoundedQueue::wait_idle() {
  if (idle()) co_return Result<void>{};
  if (!emptied_) emptied_ = std::make_shared<net::Gate>(executor_);
  const auto emptied = emptied_;
  auto waited = co_await emptied->wait();
  co_return waited;
}

}  // namespace rescheduler::scheduler
