#include "net/event_loop.h"

#include <stdexcept>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

namespace rescheduler::net {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;

Task<Result<int>> answer(int value) { co_return value; }

Task<Result<void>> sleep_in(std::chrono::nanoseconds duration) {
  RealTimers timers;
  auto slept = co_await timers.sleep_for(duration);
  co_return slept;
}

// The outcomes of the two waits of sleep_twice().
struct Outcomes {
  std::promise<Errc> first;
  std::promise<Errc> second;
};

Task<void> sleep_twice(std::shared_ptr<Outcomes> outcomes, std::shared_ptr<std::promise<void>> started) {
  RealTimers timers;
  started->set_value();
  auto first = co_await timers.sleep_for(1h);
  outcomes->first.set_value(first ? Errc::Internal : first.error().code);
  auto second = co_await timers.sleep_for(1h);
  outcomes->second.set_value(second ? Errc::Internal : second.error().code);
}

Task<void> throw_runtime_error() {
  throw std::runtime_error("the pot boiled over");
  co_return;
}

TEST(EventLoop, ReturnsAResultToAnotherThread) {
  EventLoop loop;
  EXPECT_EQ(loop.await_result<int>(answer(42)), 42);
  EXPECT_FALSE(loop.on_loop_thread());
}

TEST(EventLoop, CanBeDestroyedWhileJobsStillWait) {
  auto outcomes = std::make_shared<Outcomes>();
  auto started = std::make_shared<std::promise<void>>();
  Job job;
  {
    EventLoop loop;
    job = spawn(loop.executor(), "sleeper", sleep_twice(outcomes, started));
    started->get_future().wait();
    EXPECT_FALSE(job.done());
  }
  EXPECT_TRUE(job.done());
  job.cancel();  // must not use the loop, which is destroyed
  EXPECT_EQ(outcomes.use_count(), 1) << "the coroutine's frame was not freed";
}

TEST(Sleep, LastsAtLeastTheRequestedDuration) {
  EventLoop loop;
  const auto before = std::chrono::steady_clock::now();
  EXPECT_TRUE(loop.await_result<void>(sleep_in(20ms)));
  EXPECT_GE(std::chrono::steady_clock::now() - before, 20ms);
}

TEST(Sleep, ReturnsAtOnceForANegativeDuration) {
  EventLoop loop;
  EXPECT_TRUE(loop.await_result<void>(sleep_in(-1h)));
}

TEST(Job, EveryWaitAfterACancelIsCancelled) {
  EventLoop loop;
  auto outcomes = std::make_shared<Outcomes>();
  auto started = std::make_shared<std::promise<void>>();
  Job job = spawn(loop.executor(), "sleeper", sleep_twice(outcomes, started));
  started->get_future().wait();

  job.cancel();
  job.cancel();

  EXPECT_EQ(outcomes->first.get_future().get(), Errc::Cancelled);
  EXPECT_EQ(outcomes->second.get_future().get(), Errc::Cancelled);
}

TEST(Job, CanBeCancelledFromTwoThreadsAtOnce) {
  EventLoop loop;
  for (int round = 0; round < 50; ++round) {
    auto outcomes = std::make_shared<Outcomes>();
    Job job = spawn(loop.executor(), "sleeper", sleep_twice(outcomes, std::make_shared<std::promise<void>>()));
    std::thread one([&job] { job.cancel(); });
    std::thread two([copy = job]() mutable { copy.cancel(); });
    EXPECT_EQ(outcomes->second.get_future().get(), Errc::Cancelled);
    one.join();
    two.join();
  }
}

TEST(Job, CancelOfAJobThatNeverStartedDoesNothing) {
  EventLoop loop;
  Job never_started;
  never_started.cancel();
  EXPECT_TRUE(never_started.done());
  EXPECT_TRUE(loop.await_result<void>(sleep_in(0ns)));
}

Task<Result<bool>> ended(Job job, std::chrono::nanoseconds limit) {
  RealTimers timers;
  const bool has = co_await ended_within(job, timers, limit);
  co_return has;
}

TEST(Job, EndedWithinWaitsUntilTheJobEndsOrTheLimitPasses) {
  EventLoop loop;
  auto outcomes = std::make_shared<Outcomes>();
  auto started = std::make_shared<std::promise<void>>();
  Job job = spawn(loop.executor(), "sleeper", sleep_twice(outcomes, started));
  started->get_future().wait();
  EXPECT_EQ(loop.await_result<bool>(ended(job, 1ms)), false);
  EXPECT_FALSE(job.done()) << "ended_within() must not cancel the job";
  job.cancel();
  EXPECT_EQ(loop.await_result<bool>(ended(job, 1h)), true);
  EXPECT_EQ(loop.await_result<bool>(ended(job, 0s)), true) << "the job ended before the call";
}

TEST(JobDeathTest, AnEscapedExceptionAbortsTheProcessAndPrintsTheJobName) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_DEATH(
      {
        EventLoop loop;
        spawn(loop.executor(), "cook", throw_runtime_error());
        (void)loop.await_result<void>(sleep_in(1h));
      },
      "cook.*the pot boiled over");
}

class GateTest : public ::testing::Test {
 protected:
  // Appends the number of the waiter when the gate opens, or the negative number if the waiter was cancelled.
  static Task<void> pass(std::shared_ptr<Gate> gate, int number, std::vector<int>& passed) {
    auto through = co_await gate->wait();
    passed.push_back(through ? number : -number);
  }

  static Task<Result<std::vector<int>>> open_after_two_wait(std::shared_ptr<Gate> gate, bool cancel_second) {
    auto executor = co_await boost::asio::this_coro::executor;
    RealTimers timers;
    std::vector<int> passed;
    spawn(executor, "first", pass(gate, 1, passed));
    Job second = spawn(executor, "second", pass(gate, 2, passed));
    (void)co_await timers.sleep_for(0ns);
    EXPECT_THAT(passed, ElementsAre());
    if (cancel_second) second.cancel();
    (void)co_await timers.sleep_for(0ns);
    gate->open();
    while (passed.size() < 2) {
      (void)co_await timers.sleep_for(0ns);
    }
    auto late = co_await gate->wait();
    EXPECT_TRUE(late);
    co_return passed;
  }

  EventLoop loop_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>(loop_.executor());
};

TEST_F(GateTest, OpeningReleasesCurrentAndLaterWaiters) {
  EXPECT_THAT(loop_.await_result<std::vector<int>>(open_after_two_wait(gate_, false)).value(), ElementsAre(1, 2));
  EXPECT_TRUE(gate_->is_open());
}

TEST_F(GateTest, CancellingOneWaiterDoesNotWakeTheOtherWaiter) {
  EXPECT_THAT(loop_.await_result<std::vector<int>>(open_after_two_wait(gate_, true)).value(), ElementsAre(-2, 1));
}

}  // namespace
}  // namespace rescheduler::net
