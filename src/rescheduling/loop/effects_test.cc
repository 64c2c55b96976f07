#include "rescheduling/loop/effects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rescheduling/loop/controller_metrics.h"

namespace rescheduler::rescheduling {
namespace {

using config::Strategy;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

constexpr WallTime kNoon{std::chrono::seconds{1'700'000'000}};

BalanceReport report(double a, double b) {
  BalanceReport made;
  made.nodes = {{.name = "a", .cpu = a, .memory = 0.1}, {.name = "b", .cpu = b, .memory = 0.1}};
  return made;
}

Plan plan(const std::string& id, Strategy strategy = Strategy::LoadBalancing) {
  Plan made;
  made.id = id;
  made.before = report(0.9, 0.3);
  made.after = report(0.7, 0.5);
  PlannedMove move;
  move.uid = "u";
  move.source = "a";
  move.target = "b";
  move.strategy = strategy;
  made.moves = {move};
  return made;
}

std::vector<Effect> after(EffectTracker& tracker, const std::string& id, const BalanceReport& now, WallTime at) {
  tracker.begun(plan(id));
  tracker.ended(id, "a", true, at);
  return tracker.look(now, at + EffectTracker::kSettle);
}

TEST(MoveEffects, AreMeasuredAfterTheSettleTimeAndOncePerPlan) {
  EffectTracker tracker(10min);
  tracker.begun(plan("p"));
  EXPECT_THAT(tracker.look(report(0.9, 0.3), kNoon + 1h), IsEmpty()) << "the moves have not ended";
  tracker.ended("p", "a", true, kNoon);
  EXPECT_THAT(tracker.look(report(0.9, 0.3), kNoon + 9min), IsEmpty());
  const auto effects = tracker.look(report(0.72, 0.48), kNoon + 10min);
  ASSERT_THAT(effects, SizeIs(1));
  EXPECT_NEAR(effects[0].predicted, 20, 1e-9);
  EXPECT_NEAR(effects[0].measured, 18, 1e-9);
  EXPECT_TRUE(effects[0].helped);
  EXPECT_THAT(tracker.backing_off(), IsEmpty());
  EXPECT_THAT(tracker.look(report(0.9, 0.3), kNoon + 1h), IsEmpty()) << "each plan is measured once";
}

TEST(MoveEffects, AreExportedAsMetricsByStrategy) {
  EffectTracker tracker(10min);
  const auto effects = after(tracker, "p", report(0.72, 0.48), kNoon);
  ASSERT_THAT(effects, SizeIs(1));
  MetricRegistry registry;
  ControllerMetrics shown(registry);
  shown.effect(effects[0]);
  const std::string text = registry.text();
  EXPECT_THAT(text, HasSubstr(R"(rescheduler_effect_predicted_points{strategy="LoadBalancing"} 2)"));
  EXPECT_THAT(text, HasSubstr(R"(rescheduler_effect_measured_points{strategy="LoadBalancing"} 1)"));
}

TEST(MoveEffects, ARiseOfTheWholeClustersLoadIsNotAttributedToMoves) {
  EffectTracker tracker(10min);
  const auto effects = after(tracker, "p", report(0.9, 0.7), kNoon);
  ASSERT_THAT(effects, SizeIs(1));
  EXPECT_TRUE(effects[0].helped) << "from 30 points above the mean to 10 points above it";
}

TEST(MoveEffects, TheBackoffOfAStrategyDoublesUntilTheStrategyHelps) {
  EffectTracker tracker(10min);
  const BalanceReport same = report(0.9, 0.3);
  WallTime at = kNoon;
  for (const auto rest : {10min, 20min, 40min}) {
    ASSERT_THAT(after(tracker, "p", same, at), SizeIs(1));
    EXPECT_EQ(tracker.backing_off().at(Strategy::LoadBalancing), at + EffectTracker::kSettle + rest);
    at += 3h;
  }
  after(tracker, "p", report(0.7, 0.5), at);
  EXPECT_THAT(tracker.backing_off(), IsEmpty());
  after(tracker, "p", same, at + 3h);
  EXPECT_EQ(tracker.backing_off().at(Strategy::LoadBalancing), at + 3h + EffectTracker::kSettle + 10min);
}

TEST(MoveEffects, UnsuccessfulMovesAndDrainsAreNotMeasured) {
  EffectTracker tracker(10min);
  tracker.begun(plan("p"));
  tracker.ended("p", "a", false, kNoon);
  EXPECT_THAT(tracker.look(report(0.9, 0.3), kNoon + 1h), IsEmpty());
  tracker.begun(plan("q", Strategy::NodeMaintenance));
  tracker.ended("q", "a", true, kNoon);
  EXPECT_THAT(tracker.look(report(0.9, 0.3), kNoon + 1h), IsEmpty()) << "a drain does not aim at the load";
}

TEST(MoveEffects, TheNextLeaderRestoresTheBackoffsAndTheirFailureCounts) {
  EffectTracker first(10min);
  after(first, "p", report(0.9, 0.3), kNoon);
  EffectTracker next(10min);
  next.restore(first.to_json());
  EXPECT_EQ(next.backing_off(), first.backing_off());
  ASSERT_THAT(next.backing_off(), SizeIs(1));
  after(next, "q", report(0.9, 0.3), kNoon + 1h);
  EXPECT_EQ(next.backing_off().at(Strategy::LoadBalancing), kNoon + 1h + EffectTracker::kSettle + 20min)
      << "the second failure in a row";
  after(next, "r", report(0.7, 0.5), kNoon + 2h);
  EXPECT_EQ(next.to_json(), "{}");
  for (const char* nonsense : {"", "[]", R"({"LoadBalancing": 7})", R"({"LoadBalancing": {"failures": -1}})"}) {
    first.restore(nonsense);
    EXPECT_THAT(first.backing_off(), IsEmpty()) << nonsense;
  }
}

}  // namespace
}  // namespace rescheduler::rescheduling
