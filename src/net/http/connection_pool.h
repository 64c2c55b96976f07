// The client's keep-alive connections, and the queue of calls that wait for one. Internal to net/.
//
// A call holds a Place while it runs. There are `most` places, granted in the order of the calls. A place contains the
// most recently used idle connection, which is the most likely to be still open. If the place is empty, the call dials.
// All members belong to one loop thread. Places must not outlive the pool.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "net/http/input_buffer.h"
#include "net/stream.h"
#include "net/task.h"
#include "net/waiter.h"

namespace rescheduler::net {

struct ClientConnection {
  std::unique_ptr<Stream> stream;
  InputBuffer input;
  std::uint64_t generation = 0;  // of the TLS settings that the connection was made with
  SteadyTime idle_since{};
};

class ConnectionPool {
 public:
  class Place {
   public:
    explicit Place(ConnectionPool& pool) : pool_(&pool) {}
    Place(Place&& other) noexcept
        : connection(std::move(other.connection)), pool_(std::exchange(other.pool_, nullptr)) {}
    Place& operator=(Place&&) = delete;
    ~Place() {
      if (pool_ != nullptr) pool_->give_back(nullptr);
    }

    // Call this when the connection can serve another call.
    void keep_connection() && { std::exchange(pool_, nullptr)->give_back(std::move(connection)); }

    std::unique_ptr<ClientConnection> connection;  // null: no connection was idle

   private:
    ConnectionPool* pool_;
  };

  enum class Want { AnyConnection, EmptyPlace };

  ConnectionPool(Executor executor, std::size_t most, std::chrono::nanoseconds idle_limit);

  Task<Result<Place>> acquire(Want want, SteadyTime deadline);

  // Connections made before this call are not reused.
  void start_generation();
  std::uint64_t generation() const { return generation_; }
  std::size_t idle() const { return idle_.size(); }

 private:
  struct PendingAcquire {
    explicit PendingAcquire(const Executor& executor) : waiter(executor) {}
    Waiter waiter;
    bool granted = false;
  };
  class QueuedAcquire;

  void give_back(std::unique_ptr<ClientConnection> connection);
  std::unique_ptr<ClientConnection> take_idle();
  Place fill(Place place, Want want);

  Executor executor_;
  std::size_t most_;
  std::chrono::nanoseconds idle_limit_;
  std::uint64_t generation_ = 0;
  std::size_t taken_ = 0;                               // taken_ + idle_.size() <= most_ when no granted call waits
  std::deque<std::unique_ptr<ClientConnection>> idle_;  // the most recently used at the back
  std::list<PendingAcquire*> queue_;
};

}  // namespace rescheduler::net
