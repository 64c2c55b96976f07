#include "rescheduling/loop/brakes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::rescheduling {
namespace {

using config::Strategy;
using migration::MoveResult;
using testing::HasSubstr;
using testing::IsEmpty;
using namespace std::chrono_literals;

constexpr WallTime kMonday{std::chrono::sys_days{std::chrono::year{2024} / 1 / 1}};
constexpr auto kInterval = 30s;

CycleFacts healthy() {
  CycleFacts facts;
  facts.pods = 100;
  facts.zones = {{"a", 4, 0}};
  facts.load_fresh = true;
  facts.load_source = "prometheus";
  return facts;
}

MoveHistory with(const std::vector<MoveResult>& results, WallTime from = kMonday) {
  MoveHistory history;
  for (std::size_t i = 0; i < results.size(); ++i) {
    migration::MoveOutcome outcome;
    outcome.request.uid = std::to_string(i);
    outcome.result = results[i];
    outcome.began = from + i * 1min;
    outcome.ended = outcome.began + 1s;
    history.ended(outcome);
  }
  return history;
}

BrakeVerdict verdict(const CycleFacts& facts, const MoveHistory& history = {}, WallTime now = kMonday + 1h) {
  return judge({}, facts, history, kInterval, now);
}

std::string holding(const BrakeVerdict& verdict) {
  std::string all;
  for (const ActiveBrake& one : verdict.holding) all += fmt::format("{} ", to_string(one.brake));
  return all;
}

TEST(Brakes, NoBrakeIsActiveInAHealthyCluster) {
  const BrakeVerdict now = verdict(healthy());
  EXPECT_THAT(now.holding, IsEmpty());
  EXPECT_EQ(now.caps, config::Brakes{}.per_cycle);
  EXPECT_EQ(now.against(Strategy::LoadBalancing), nullptr);
}

TEST(Brakes, APauseStopsEveryStrategy) {
  CycleFacts facts = healthy();
  facts.paused = true;
  for (const Strategy strategy : {Strategy::LoadBalancing, Strategy::NodeMaintenance, Strategy::ConstraintRepair}) {
    ASSERT_NE(verdict(facts).against(strategy), nullptr);
    EXPECT_EQ(verdict(facts).against(strategy)->brake, Brake::Paused);
  }
  config::ReschedulingSettings paused;
  paused.brakes.paused = true;
  EXPECT_NE(judge(paused, healthy(), {}, kInterval, kMonday).against(Strategy::LoadBalancing), nullptr);
}

TEST(Brakes, ManyPendingPodsActivateABrakeAndFewDoNot) {
  CycleFacts facts = healthy();
  facts.pending = 10;
  EXPECT_THAT(verdict(facts).holding, IsEmpty());
  facts.pending = 11;
  EXPECT_EQ(holding(verdict(facts)), "pending-pods ");
  EXPECT_THAT(verdict(facts).holding[0].sentence, HasSubstr("11 of 100 pods are pending"));
  EXPECT_NE(verdict(facts).against(Strategy::LoadBalancing), nullptr);
  EXPECT_EQ(verdict(facts).against(Strategy::NodeMaintenance), nullptr) << "a drain goes on";
  facts.pods = 2;
  facts.pending = 1;
  EXPECT_THAT(verdict(facts).holding, IsEmpty()) << "a single pending pod is normal in a small cluster";
}

TEST(Brakes, AFailingZoneActivatesABrakeUnlessTheZoneIsSmall) {
  CycleFacts facts = healthy();
  facts.zones = {{"a", 10, 0}, {"b", 20, 11}};
  EXPECT_EQ(holding(verdict(facts)), "failing-zone ");
  EXPECT_THAT(verdict(facts).holding[0].sentence, HasSubstr("11 of the 20 nodes of zone b"));
  facts.zones = {{"b", 20, 10}};
  EXPECT_THAT(verdict(facts).holding, IsEmpty());
  facts.zones = {{"b", 2, 2}};
  EXPECT_THAT(verdict(facts).holding, IsEmpty()) << "as in the node controller: a zone counts from three nodes on";
}

TEST(Brakes, AStaleLoadStopsOnlyLoadBalancing) {
  CycleFacts facts = healthy();
  facts.load_fresh = false;
  const BrakeVerdict now = verdict(facts);
  ASSERT_NE(now.against(Strategy::LoadBalancing), nullptr);
  EXPECT_EQ(now.against(Strategy::LoadBalancing)->brake, Brake::StaleLoad);
  EXPECT_EQ(now.against(Strategy::NodeMaintenance), nullptr);
  EXPECT_EQ(now.against(Strategy::ResourceOptimization), nullptr);
}

TEST(Brakes, ABackoffStopsItsStrategyUntilTheBackoffEnds) {
  CycleFacts facts = healthy();
  facts.backing_off[Strategy::LoadBalancing] = kMonday + 2h;
  EXPECT_NE(verdict(facts).against(Strategy::LoadBalancing), nullptr);
  EXPECT_EQ(verdict(facts).against(Strategy::ConstraintRepair), nullptr);
  EXPECT_EQ(verdict(facts, {}, kMonday + 2h).against(Strategy::LoadBalancing), nullptr);
}

TEST(Brakes, CapsAreSharedByAllCyclesOfAnInterval) {
  MoveHistory history;
  const WallTime now = kMonday + 1h;
  for (int i = 0; i < 15; ++i) {
    migration::MoveRequest request;
    request.uid = std::to_string(i);
    history.begun(request, now - (i < 3 ? 5min : 10s));
  }
  EXPECT_EQ(verdict(healthy(), history, now).caps.total, 20U - 12U);
  for (int i = 0; i < 8; ++i) {
    migration::MoveRequest request;
    request.uid = std::to_string(100 + i);
    history.begun(request, now);
  }
  EXPECT_EQ(holding(verdict(healthy(), history, now)), "cap-reached ");
  CycleFacts busy = healthy();
  busy.under_way = 10;
  EXPECT_EQ(holding(verdict(busy)), "cap-reached ");
}

TEST(Brakes, TooManyFailuresActivateABrakeForTheRestTimeAndAreNotCountedAgain) {
  std::vector<MoveResult> results(5, MoveResult::Succeeded);
  results.insert(results.end(), 5, MoveResult::Failed);
  EXPECT_FALSE(failures_hold_until({}, with(results))) << "exactly half is not too many";
  results.push_back(MoveResult::Failed);
  const WallTime last = kMonday + 10min + 1s;
  EXPECT_EQ(failures_hold_until({}, with(results)), last + 10min);
  EXPECT_EQ(holding(verdict(healthy(), with(results), last + 9min)), "failed-moves ");
  EXPECT_THAT(verdict(healthy(), with(results), last + 10min).holding, IsEmpty());
  results.push_back(MoveResult::Failed);
  EXPECT_EQ(failures_hold_until({}, with(results)), last + 10min) << "one more failure does not extend the brake";
  results.insert(results.end(), 9, MoveResult::Failed);
  EXPECT_EQ(failures_hold_until({}, with(results)), kMonday + 20min + 1s + 10min);
}

TEST(Brakes, RefusedAndStaleMovesAreNotFailures) {
  EXPECT_FALSE(failures_hold_until({}, with(std::vector<MoveResult>(30, MoveResult::Refused))));
  EXPECT_FALSE(failures_hold_until({}, with(std::vector<MoveResult>(30, MoveResult::Stale))));
}

TEST(TimeWindows, AreOpenInTheirHoursAlsoPastMidnight) {
  const std::vector<config::TimeWindow> night{{0x1f, 22 * 60, 6 * 60}};  // Mon-Fri 22:00-06:00
  EXPECT_FALSE(is_open(night, kMonday + 5h)) << "this night belongs to Sunday";
  EXPECT_FALSE(is_open(night, kMonday + 21h + 59min));
  EXPECT_TRUE(is_open(night, kMonday + 22h));
  EXPECT_TRUE(is_open(night, kMonday + 24h + 5h + 59min));
  EXPECT_FALSE(is_open(night, kMonday + 24h + 6h));
  EXPECT_TRUE(is_open(night, kMonday + 5 * 24h + 1h)) << "Saturday, but the window began on Friday";
  EXPECT_FALSE(is_open(night, kMonday + 5 * 24h + 23h));
  EXPECT_TRUE(is_open({}, kMonday));
}

TEST(TimeWindows, DoNotStopNodeMaintenance) {
  config::ReschedulingSettings settings;
  settings.windows = {{0x7f, 60, 120}};
  const BrakeVerdict now = judge(settings, healthy(), {}, kInterval, kMonday);
  EXPECT_NE(now.against(Strategy::LoadBalancing), nullptr);
  EXPECT_EQ(now.against(Strategy::NodeMaintenance), nullptr);
}

RC_GTEST_PROP(Brakes, FailuresStopMovesNoLongerThanTheRestTimeAfterTheLastMove, ()) {
  const auto kinds = *rc::gen::container<std::vector<int>>(rc::gen::inRange(0, 5));
  std::vector<MoveResult> results;
  for (const int kind : kinds) results.push_back(static_cast<MoveResult>(kind));
  const MoveHistory history = with(results);
  const auto until = failures_hold_until({}, history);
  if (!until) return;
  RC_ASSERT(*until <= *history.moves().back().ended + config::Brakes{}.rest);
  const auto failed = std::ranges::count(results, MoveResult::Failed);
  RC_ASSERT(failed > 5);
}

}  // namespace
}  // namespace rescheduler::rescheduling
