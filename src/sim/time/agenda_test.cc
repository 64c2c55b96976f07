#include "sim/time/agenda.h"

#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(Agenda, EventsOfTheSameTimeRunInTheOrderOfAddition) {
  Agenda agenda;
  std::string order;
  agenda.after(seconds{2}, [&] { order += "c"; });
  agenda.after(seconds{1}, [&] { order += "a"; });
  agenda.after(seconds{1}, [&] { order += "b"; });
  agenda.run_for(seconds{3});
  EXPECT_EQ(order, "abc");
}

TEST(Agenda, TheClockShowsTheTimeOfTheRunningEventAndThenTheEndOfTheRun) {
  Agenda agenda;
  const SteadyTime start = agenda.steady_now();
  const WallTime wall = agenda.wall_now();
  SteadyTime seen;
  agenda.after(milliseconds{1500}, [&] { seen = agenda.steady_now(); });
  agenda.run_for(seconds{10});
  EXPECT_EQ(seen - start, milliseconds{1500});
  EXPECT_EQ(agenda.steady_now() - start, seconds{10});
  EXPECT_EQ(agenda.wall_now() - wall, seconds{10});
}

TEST(Agenda, AnEventAddedByAnEventRunsInTheSameRunIfItIsDue) {
  Agenda agenda;
  int ticks = 0;
  std::function<void()> tick = [&] {
    ++ticks;
    agenda.after(seconds{1}, tick);
  };
  agenda.after(seconds{1}, tick);
  agenda.run_for(seconds{5});
  EXPECT_EQ(ticks, 5);
}

TEST(Agenda, ACancelledEventNeverRunsAndCancellingTwiceIsAllowed) {
  Agenda agenda;
  bool ran = false;
  const auto ticket = agenda.after(seconds{1}, [&] { ran = true; });
  agenda.cancel(ticket);
  agenda.cancel(ticket);
  agenda.cancel({});
  agenda.run_for(seconds{2});
  EXPECT_FALSE(ran);
  EXPECT_FALSE(agenda.next_due());
}

TEST(Agenda, RunUntilStopsAtTheEventThatFulfilsTheCondition) {
  Agenda agenda;
  int count = 0;
  for (int i = 1; i <= 5; ++i) agenda.after(seconds{i}, [&] { ++count; });
  const SteadyTime start = agenda.steady_now();
  EXPECT_TRUE(agenda.run_until([&] { return count == 3; }, seconds{60}));
  EXPECT_EQ(agenda.steady_now() - start, seconds{3});
  EXPECT_FALSE(agenda.run_until([&] { return count == 9; }, seconds{60}));
  EXPECT_EQ(count, 5);
}

TEST(Agenda, AClockWithSpeedOneFollowsTheRealClock) {
  Agenda agenda;
  ManualClock real;
  agenda.follow(real, 1);
  EXPECT_EQ(agenda.real_time_to_next(), std::nullopt);
  const SteadyTime start = agenda.steady_now();
  bool ran = false;
  agenda.after(seconds{5}, [&] { ran = true; });
  EXPECT_GE(*agenda.real_time_to_next(), seconds{5});
  EXPECT_LE(*agenda.real_time_to_next(), milliseconds{5001});
  real.advance(milliseconds{4900});
  agenda.run_due();
  EXPECT_FALSE(ran);
  real.advance(milliseconds{101});
  agenda.run_due();
  EXPECT_TRUE(ran);
  EXPECT_EQ(agenda.steady_now() - start, milliseconds{5001});
}

TEST(Agenda, AClockWithAHigherSpeedAdvancesProportionallyFaster) {
  Agenda agenda;
  ManualClock real;
  agenda.follow(real, 10);
  const SteadyTime start = agenda.steady_now();
  bool ran = false;
  agenda.after(milliseconds{150}, [&] { ran = true; });
  real.advance(milliseconds{10});
  EXPECT_EQ(agenda.steady_now() - start, milliseconds{100});
  agenda.run_due();
  EXPECT_FALSE(ran);
  EXPECT_GE(*agenda.real_time_to_next(), milliseconds{5});
  EXPECT_LE(*agenda.real_time_to_next(), milliseconds{6});
  real.advance(milliseconds{6});
  agenda.run_due();
  EXPECT_TRUE(ran);
  EXPECT_EQ(agenda.steady_now() - start, milliseconds{160});
}

TEST(Agenda, AClockWithAHigherSpeedWaitsForALatePacer) {
  Agenda agenda;
  ManualClock real;
  agenda.follow(real, 10);
  const SteadyTime start = agenda.steady_now();
  EXPECT_LT(*agenda.real_time_to_next(), Agenda::kLongestStep) << "without an event the clock must be advanced, too";
  real.advance(seconds{30});
  EXPECT_EQ(agenda.steady_now() - start, 10 * Agenda::kLongestStep);
  agenda.run_due();
  real.advance(milliseconds{10});
  EXPECT_EQ(agenda.steady_now() - start, 10 * Agenda::kLongestStep + milliseconds{100});
}

TEST(Agenda, TheListenerIsCalledOnlyForAnEarlierEvent) {
  Agenda agenda;
  int calls = 0;
  agenda.on_earlier([&] { ++calls; });
  agenda.after(seconds{5}, [] {});
  agenda.after(seconds{9}, [] {});
  EXPECT_EQ(calls, 1);
  agenda.after(seconds{1}, [] {});
  EXPECT_EQ(calls, 2);
}

RC_GTEST_PROP(Agenda, EventsRunInOrderOfTimeAndThenOfAddition, (std::vector<unsigned char> delays)) {
  Agenda agenda;
  std::vector<std::pair<unsigned, std::size_t>> ran;
  for (std::size_t i = 0; i < delays.size(); ++i) {
    agenda.after(seconds{delays[i]}, [&ran, &delays, i] { ran.emplace_back(delays[i], i); });
  }
  agenda.run_for(seconds{256});
  RC_ASSERT(ran.size() == delays.size());
  RC_ASSERT(std::ranges::is_sorted(ran));
}

}  // namespace
}  // namespace rescheduler::sim
