#include "net/http/connection_pool.h"

#include <algorithm>

namespace rescheduler::net {

// Removes its entry from the queue when the wait ends for any reason.
class ConnectionPool::QueuedAcquire {
 public:
  QueuedAcquire(const Executor& executor, std::list<PendingAcquire*>& queue) : pending_(executor), queue_(queue) {
    queue_.push_back(&pending_);
  }
  ~QueuedAcquire() { queue_.remove(&pending_); }
  QueuedAcquire(const QueuedAcquire&) = delete;
  QueuedAcquire& operator=(const QueuedAcquire&) = delete;

  Task<Result<void>> wait(SteadyTime deadline) { return pending_.waiter.wait(deadline); }
  bool granted() const { return pending_.granted; }

 private:
  PendingAcquire pending_;
  std::list<PendingAcquire*>& queue_;
};

ConnectionPool::ConnectionPool(Executor executor, std::size_t most, std::chrono::nanoseconds idle_limit)
    : executor_(std::move(executor)), most_(std::max<std::size_t>(most, 1)), idle_limit_(idle_limit) {}

Task<Result<ConnectionPool::Place>> ConnectionPool::acquire(Want want, SteadyTime deadline) {
  if (taken_ < most_ && queue_.empty()) {
    ++taken_;
    co_return fill(Place(*this), want);
  }
  QueuedAcquire queued(executor_, queue_);
  auto waited = co_await queued.wait(deadline);
  if (!queued.granted()) co_return fail(std::move(waited.error()));
  Place place(*this);  // if the call has failed meanwhile, the destructor passes the place to the next call
  if (!waited) co_return fail(std::move(waited.error()));
  co_return fill(std::move(place), want);
}

ConnectionPool::Place ConnectionPool::fill(Place place, Want want) {
  if (want == Want::AnyConnection) place.connection = take_idle();
  while (!place.connection && taken_ + idle_.size() > most_) idle_.pop_front();
  return place;
}

void ConnectionPool::give_back(std::unique_ptr<ClientConnection> connection) {
  --taken_;
  if (connection && connection->generation == generation_) {
    connection->stream->set_deadline(kNoDeadline);
    connection->idle_since = std::chrono::steady_clock::now();
    idle_.push_back(std::move(connection));
  }
  if (queue_.empty()) return;
  PendingAcquire* next = queue_.front();
  queue_.pop_front();
  ++taken_;
  next->granted = true;
  next->waiter.wake();
}

std::unique_ptr<ClientConnection> ConnectionPool::take_idle() {
  const SteadyTime now = std::chrono::steady_clock::now();
  while (!idle_.empty() && now - idle_.front()->idle_since > idle_limit_) idle_.pop_front();
  while (!idle_.empty()) {
    auto connection = std::move(idle_.back());
    idle_.pop_back();
    if (connection->input.unread().empty() && connection->stream->is_quiet()) return connection;
  }
  return nullptr;
}

void ConnectionPool::start_generation() {
  ++generation_;
  idle_.clear();
}

}  // namespace rescheduler::net
