#include "sim/time/pacer.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::sim {
namespace {

using testing::ElementsAre;
using namespace std::chrono_literals;

net::Task<void> tick(net::Timers& timers,
                     std::chrono::nanoseconds every,
                     int times,
                     std::string name,
                     std::vector<std::string>& log) {
  for (int i = 0; i < times; ++i) {
    auto slept = co_await timers.sleep_for(every);
    log.push_back(name + (slept ? "" : " cancelled"));
    if (!slept) co_return;
  }
}

TEST(VirtualLoop, RunsCoroutinesBetweenTheEventsOfTheAgenda) {
  Agenda agenda;
  std::vector<std::string> log;
  VirtualLoop loop(agenda);
  net::spawn(loop.executor(), "a", tick(loop.timers(), 3s, 3, "a", log));
  net::spawn(loop.executor(), "b", tick(loop.timers(), 4s, 2, "b", log));
  agenda.after(5s, [&log] { log.emplace_back("event"); });
  const SteadyTime begun = agenda.steady_now();
  loop.run_for(8s);
  EXPECT_THAT(log, ElementsAre("a", "b", "event", "a", "b"));
  EXPECT_EQ(agenda.steady_now() - begun, 8s);
  EXPECT_TRUE(loop.run_until([&log] { return log.size() == 6; }, 1h));
  EXPECT_EQ(agenda.steady_now() - begun, 9s);
  EXPECT_FALSE(loop.run_until([&log] { return log.size() == 7; }, 1min));
  EXPECT_EQ(agenda.steady_now() - begun, 69s);
}

TEST(VirtualLoop, ACancelledSleepLeavesNoEventOnTheAgenda) {
  Agenda agenda;
  std::vector<std::string> log;
  VirtualLoop loop(agenda);
  net::Job job = net::spawn(loop.executor(), "a", tick(loop.timers(), 1h, 1, "a", log));
  loop.run_for(1s);
  EXPECT_TRUE(agenda.next_due().has_value());
  job.cancel();
  loop.run_for(0s);
  EXPECT_THAT(log, ElementsAre("a cancelled"));
  EXPECT_FALSE(agenda.next_due().has_value());
}

TEST(VirtualLoop, SleepingCoroutinesAreDestroyedWithTheLoop) {
  Agenda agenda;
  std::vector<std::string> log;
  {
    VirtualLoop loop(agenda);
    net::spawn(loop.executor(), "a", tick(loop.timers(), 1h, 1, "a", log));
    loop.run_for(1s);
  }
  EXPECT_TRUE(log.empty());
  EXPECT_FALSE(agenda.next_due().has_value());
}

TEST(VirtualLoop, TimeDoesNotAdvanceWhileItIsHeld) {
  Agenda agenda;
  std::vector<std::string> log;
  VirtualLoop loop(agenda);
  net::RealTimers real;
  const auto outside = [](net::RealTimers& timers, VirtualLoop& held,
                          std::vector<std::string>& lines) -> net::Task<void> {
    held.hold_time();
    (void)co_await timers.sleep_for(1ms);  // represents the network
    lines.emplace_back("outside");
    held.release_time();
  };
  net::spawn(loop.executor(), "outside", outside(real, loop, log));
  agenda.after(0s, [&log] { log.emplace_back("event"); });
  loop.run_for(1s);
  EXPECT_THAT(log, ElementsAre("outside", "event"));
}

// A clock a million times as fast as the machine's: an hour passes in milliseconds.
TEST(Pacer, WakesForANewEventThatIsDueBeforeTheAwaitedEvent) {
  SystemClock real;
  Agenda agenda;
  agenda.follow(real, 1'000'000);
  std::vector<std::string> log;
  net::EventLoop loop;
  net::Gate done(loop.executor());
  Pacer pacer(agenda);
  agenda.after(10'000h, [&log] { log.emplace_back("far away"); });
  net::Job job = net::spawn(loop.executor(), "pacer", pacer.run());
  const auto add_earlier = [&]() -> net::Task<Result<void>> {
    agenda.after(1h, [&] {
      log.emplace_back("soon");
      agenda.after(0s, [&] {  // due immediately, but in order
        log.emplace_back("at once");
        done.open();
      });
    });
    auto opened = co_await done.wait();
    co_return opened;
  };
  ASSERT_TRUE(loop.await_result<void>(add_earlier()));
  EXPECT_THAT(log, ElementsAre("soon", "at once"));
  job.cancel();
}

TEST(Pacer, SleepsUntilAnEventIsAddedToAnEmptyAgenda) {
  SystemClock real;
  Agenda agenda;
  agenda.follow(real, 1000);
  net::EventLoop loop;
  net::Gate done(loop.executor());
  Pacer pacer(agenda);
  net::Job job = net::spawn(loop.executor(), "pacer", pacer.run());
  const auto add = [&]() -> net::Task<Result<void>> {
    agenda.after(1s, [&] { done.open(); });
    auto opened = co_await done.wait();
    co_return opened;
  };
  EXPECT_TRUE(loop.await_result<void>(add()));
  job.cancel();
}

}  // namespace
}  // namespace rescheduler::sim
