#include "net/run_on.h"

#include <thread>

#include <gtest/gtest.h>

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;

Task<Result<std::thread::id>> current_thread() { co_return std::this_thread::get_id(); }

Task<Result<void>> sleep_long() {
  RealTimers timers;
  auto slept = co_await timers.sleep_for(1h);
  co_return slept;
}

// Continues after the first wait was cancelled, as a coroutine that cleans up does.
Task<Result<void>> sleep_long_twice() {
  (void)co_await sleep_long();
  auto slept = co_await sleep_long();
  co_return slept;
}

// Blocks its thread until `go_on` is ready; it does not suspend like other coroutines.
Task<Result<int>> held_up(std::promise<void>* begun, std::future<void>* go_on) {
  begun->set_value();
  go_on->wait();
  co_return 7;
}

struct Seen {
  std::promise<std::thread::id> there;
  std::promise<std::thread::id> afterwards;
};

Task<void> hop(Executor other, std::shared_ptr<Seen> seen) {
  auto there = co_await run_on(other, current_thread());
  seen->there.set_value(there.value());
  seen->afterwards.set_value(std::this_thread::get_id());
}

template <class T>
Task<void> hop_with(Executor other, Task<Result<T>> task, std::shared_ptr<std::promise<Result<T>>> answer) {
  auto got = co_await run_on(other, std::move(task));
  answer->set_value(std::move(got));
}

TEST(RunOn, RunsTheTaskOnTheOtherLoopAndContinuesOnTheCallersLoop) {
  EventLoop here;
  EventLoop other;
  const auto here_thread = here.await_result(current_thread());
  const auto other_thread = other.await_result(current_thread());
  auto seen = std::make_shared<Seen>();
  spawn(here.executor(), "hop", hop(other.executor(), seen));
  EXPECT_EQ(seen->there.get_future().get(), *other_thread);
  EXPECT_EQ(seen->afterwards.get_future().get(), *here_thread);
}

TEST(RunOn, CancellingTheCallerCancelsTheTask) {
  EventLoop here;
  EventLoop other;
  auto answer = std::make_shared<std::promise<Result<void>>>();
  Job job = spawn(here.executor(), "hop", hop_with<void>(other.executor(), sleep_long_twice(), answer));
  ASSERT_TRUE(here.await_result(current_thread()));
  ASSERT_TRUE(other.await_result(current_thread())) << "the task must sleep before the cancel";
  job.cancel();
  const Result<void> got = answer->get_future().get();
  ASSERT_FALSE(got);
  EXPECT_EQ(got.error().code, Errc::Cancelled);
}

TEST(RunOn, ATaskThatNeverSuspendsReturnsItsResultDespiteACancel) {
  EventLoop here;
  EventLoop other;
  std::promise<void> begun;
  std::promise<void> let_go;
  std::future<void> go_on = let_go.get_future();
  auto answer = std::make_shared<std::promise<Result<int>>>();
  Job job = spawn(here.executor(), "hop", hop_with<int>(other.executor(), held_up(&begun, &go_on), answer));
  begun.get_future().wait();
  job.cancel();
  ASSERT_TRUE(here.await_result(current_thread())) << "the cancel must arrive before the task continues";
  let_go.set_value();
  EXPECT_EQ(answer->get_future().get().value(), 7);
}

TEST(RunOn, ACancelMayRaceWithTheEndOfTheTask) {
  EventLoop here;
  EventLoop other;
  for (int i = 0; i < 200; ++i) {
    auto answer = std::make_shared<std::promise<Result<std::thread::id>>>();
    Job job = spawn(here.executor(), "hop", hop_with<std::thread::id>(other.executor(), current_thread(), answer));
    job.cancel();
    EXPECT_TRUE(answer->get_future().get());
  }
}

// The caller can destroy its loop as soon as the answer arrives, while the other thread may still use that loop.
TEST(RunOn, LoopsThatExchangeTasksCanBeDestroyedAfterBothStopped) {
  for (int i = 0; i < 500; ++i) {
    EventLoop other;
    EventLoop here;  // destroyed first
    auto answer = std::make_shared<std::promise<Result<std::thread::id>>>();
    spawn(here.executor(), "hop", hop_with<std::thread::id>(other.executor(), current_thread(), answer));
    EXPECT_TRUE(answer->get_future().get());
    here.stop();
    other.stop();
  }
}

}  // namespace
}  // namespace rescheduler::net
