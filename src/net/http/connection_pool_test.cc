#include "net/http/connection_pool.h"

#include <gmock/gmock.h>

#include "net/event_loop.h"

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;

// A stream with only a number and a flag for is_quiet().
class NumberedStream final : public Stream {
 public:
  NumberedStream(int number, bool quiet, int& alive) : number_(number), quiet_(quiet), alive_(alive) { ++alive_; }
  ~NumberedStream() override { --alive_; }

  int number() const { return number_; }
  bool is_quiet() override { return quiet_; }
  Task<Result<std::size_t>> read_some(std::span<char>) override { co_return std::size_t{0}; }
  Task<Result<void>> write_all(std::string_view) override { co_return Result<void>{}; }
  Task<Result<void>> end_writing() override { co_return Result<void>{}; }
  void set_deadline(SteadyTime) override {}
  void close() noexcept override {}

 private:
  int number_;
  bool quiet_;
  int& alive_;
};

class ConnectionPoolTest : public ::testing::Test {
 protected:
  using Place = ConnectionPool::Place;
  using Want = ConnectionPool::Want;

  Place acquire(ConnectionPool& pool, Want want = Want::AnyConnection) {
    auto place = loop_.await_result<Place>(pool.acquire(want, kNoDeadline));
    EXPECT_TRUE(place);
    return std::move(*place);
  }
  void put_back(ConnectionPool& pool, Place place, int number, bool quiet = true) {
    place.connection = std::make_unique<ClientConnection>();
    place.connection->stream = std::make_unique<NumberedStream>(number, quiet, alive_);
    place.connection->generation = pool.generation();
    std::move(place).keep_connection();
  }
  // 0: the place is empty.
  static int number_in(const Place& place) {
    return place.connection ? static_cast<NumberedStream&>(*place.connection->stream).number() : 0;
  }
  // Fills the pool with the idle connections 1 and 2; 2 was used last.
  void fill(ConnectionPool& pool, bool second_is_quiet = true) {
    Place one = acquire(pool);
    Place two = acquire(pool);
    put_back(pool, std::move(one), 1);
    put_back(pool, std::move(two), 2, second_is_quiet);
  }

  int alive_ = 0;
  EventLoop loop_;
};

TEST_F(ConnectionPoolTest, HandsOutTheMostRecentlyUsedConnection) {
  ConnectionPool pool(loop_.executor(), 4, 1h);
  fill(pool);
  const Place first = acquire(pool);
  const Place second = acquire(pool);
  const Place third = acquire(pool);
  EXPECT_EQ(number_in(first), 2);
  EXPECT_EQ(number_in(second), 1);
  EXPECT_EQ(number_in(third), 0);
}

TEST_F(ConnectionPoolTest, DropsAnIdleConnectionThatIsNotQuiet) {
  ConnectionPool pool(loop_.executor(), 4, 1h);
  fill(pool, false);
  EXPECT_EQ(number_in(acquire(pool)), 1);
  EXPECT_EQ(alive_, 0) << "connection 2 was not quiet, and connection 1 was not kept";
}

TEST_F(ConnectionPoolTest, DropsConnectionsThatWereIdleForTooLong) {
  ConnectionPool pool(loop_.executor(), 4, -1ns);
  fill(pool);
  EXPECT_EQ(number_in(acquire(pool)), 0);
  EXPECT_EQ(pool.idle(), 0u);
}

TEST_F(ConnectionPoolTest, ANewGenerationDropsIdleConnectionsAndConnectionsInUse) {
  ConnectionPool pool(loop_.executor(), 4, 1h);
  fill(pool);
  Place in_use = acquire(pool);
  pool.start_generation();
  EXPECT_EQ(pool.idle(), 0u);
  in_use.connection->generation = pool.generation() - 1;
  std::move(in_use).keep_connection();
  EXPECT_EQ(pool.idle(), 0u);
  EXPECT_EQ(alive_, 0);
}

TEST_F(ConnectionPoolTest, AFullPoolDropsTheOldestIdleConnectionToMakeAnEmptyPlace) {
  ConnectionPool pool(loop_.executor(), 2, 1h);
  fill(pool);
  const Place fresh = acquire(pool, Want::EmptyPlace);
  EXPECT_EQ(number_in(fresh), 0);
  EXPECT_EQ(pool.idle(), 1u);
  EXPECT_EQ(number_in(acquire(pool)), 2);
}

TEST_F(ConnectionPoolTest, AcquireEndsWithATimeoutAtTheDeadline) {
  ConnectionPool pool(loop_.executor(), 1, 1h);
  const Place only = acquire(pool);
  auto second = loop_.await_result<Place>(pool.acquire(Want::AnyConnection, deadline_after(5ms)));
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::Timeout);
}

}  // namespace
}  // namespace rescheduler::net
