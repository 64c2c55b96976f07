#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rescheduling/planning/plan_testing.h"

namespace rescheduler::rescheduling::testing {
namespace {

using cluster::kUnknownLoad;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Le;
using ::testing::Not;
using ::testing::SizeIs;

Plan balance(PlanBench& bench) { return bench.plan({Strategy::LoadBalancing}); }

TEST(LoadBalancing, MovesPodsFromAHotNodeAndReportsTheReduction) {
  PlanBench bench;
  bench.node("a", 0.9, 0.4).node("b", 0.3, 0.3).node("c", 0.5, 0.3);
  bench.pods("web", 6, "a", "500m", "1Gi").pods("web", 2, "b", "500m", "1Gi").pods("web", 3, "c", "500m", "1Gi");
  const Plan plan = balance(bench);
  ASSERT_THAT(plan.moves, Not(IsEmpty()));
  EXPECT_THAT(plan.moves, SizeIs(Le(2U))) << "two pods of 15 points bring the node below 70 %";
  for (const PlannedMove& move : plan.moves) {
    EXPECT_EQ(move.source, "a");
    EXPECT_EQ(move.strategy, Strategy::LoadBalancing);
    EXPECT_THAT(move.reason, HasSubstr("a at 90 % CPU, above 80 %; reduces its load by 15 points"));
    EXPECT_GT(move.gain, 0);
  }
  EXPECT_GT(plan.after.balance.score, plan.before.balance.score);
  EXPECT_LT(plan.after.balance.cpu_max, 80);
}

TEST(LoadBalancing, WithoutTheWebhookPodsOfOtherSchedulersStayAndThePlanSaysSo) {
  PlanBench bench;
  bench.node("a", 0.9, 0.4).node("b", 0.3, 0.3);
  bench.pods("web", 3, "a", "500m", "1Gi");
  for (int i = 0; i < 3; ++i) {
    bench.add(running("ours-" + std::to_string(i), "api")
                  .requests("500m", "1Gi")
                  .on("a")
                  .merge(R"({"spec": {"schedulerName": "rescheduler-scheduler"}})"));
  }
  bench.request.steering.own_schedulers = {"rescheduler-scheduler"};
  bench.request.steering.no_webhook = "the port is in use";
  const Plan plan = balance(bench);
  ASSERT_THAT(plan.moves, Not(IsEmpty()));
  EXPECT_THAT(plan.moves, Each(Field(&PlannedMove::pod, ::testing::StartsWith("ours-"))));
  EXPECT_EQ(refusals_of(plan).at("web-a-0"), "unsteered");
  EXPECT_THAT(plan.notes, Contains(HasSubstr("pods of other schedulers stay, because the webhook does not steer them: "
                                             "the port is in use")));
}

TEST(LoadBalancing, MovesNothingInAnEvenCluster) {
  PlanBench bench;
  bench.node("a", 0.62, 0.4).node("b", 0.55, 0.4).node("c", 0.58, 0.45);
  bench.pods("web", 4, "a", "500m", "1Gi").pods("web", 4, "b", "500m", "1Gi");
  EXPECT_THAT(balance(bench).moves, IsEmpty());
}

TEST(LoadBalancing, MovesPodsInAnUnevenClusterWithoutAHotNode) {
  PlanBench bench;
  bench.node("a", 0.75, 0.3).node("b", 0.05, 0.3);
  bench.pods("web", 5, "a", "500m", "1Gi");
  const Plan plan = balance(bench);
  EXPECT_THAT(plan.moves, SizeIs(2));
  EXPECT_LT(plan.after.balance.cpu_deviation, 8.1);
}

TEST(LoadBalancing, WaitsUntilTheEvidenceNamesTheHotNode) {
  PlanBench bench;
  bench.node("a", 0.9, 0.4).node("b", 0.6, 0.3);
  bench.pods("web", 6, "a", "500m", "1Gi");
  bench.request.evidence = Evidence{};
  EXPECT_THAT(balance(bench).moves, IsEmpty());
  bench.request.evidence->hot = {"a"};
  EXPECT_THAT(balance(bench).moves, Not(IsEmpty()));
}

TEST(LoadBalancing, ANodeWithUnknownLoadIsNeitherSourceNorTarget) {
  PlanBench bench;
  bench.node("a", 0.9, 0.4).node("unknown", kUnknownLoad, kUnknownLoad).node("b", 0.5, 0.3);
  bench.pods("web", 6, "a", "500m", "1Gi").pods("db", 6, "unknown", "500m", "1Gi");
  const Plan plan = balance(bench);
  ASSERT_THAT(plan.moves, Not(IsEmpty()));
  for (const PlannedMove& move : plan.moves) {
    EXPECT_EQ(move.source, "a");
    EXPECT_EQ(move.target, "b");
  }
  EXPECT_THAT(plan.notes, Contains(HasSubstr("without a fresh load sample")));
}

// The filters refuse a cordoned node too. A node that is not ready may not have its taint yet.
TEST(LoadBalancing, ANodeThatIsCordonedNotReadyOrUnderMaintenanceIsNotATarget) {
  const auto idle = [] { return cluster::testing::node("b"); };
  const auto moves_to = [](const NodeBuilder& target) {
    PlanBench bench;
    bench.node("a", 0.9, 0.4).add(target).uses("b", 0.1, 0.1);
    bench.pods("web", 6, "a", "500m", "1Gi");
    return balance(bench).moves;
  };
  EXPECT_THAT(moves_to(idle().condition("Ready", "True")), Not(IsEmpty()));
  EXPECT_THAT(moves_to(idle().condition("Ready", "True").cordoned()), IsEmpty());
  EXPECT_THAT(moves_to(idle().condition("Ready", "False")), IsEmpty());
  EXPECT_THAT(moves_to(idle().condition("Ready", "Unknown")), IsEmpty());
  EXPECT_THAT(moves_to(idle().condition("Ready", "True").label("scheduler.alpha.kubernetes.io/maintenance", "true")),
              IsEmpty());
}

TEST(LoadBalancing, NoMoveRaisesItsTargetAboveTheTrigger) {
  PlanBench bench;
  bench.node("a", 0.95, 0.2).node("b", 0.7, 0.2);
  bench.pods("web", 3, "a", "1", "1Gi");
  EXPECT_THAT(balance(bench).moves, IsEmpty()) << "a pod of 32 points would make node b hot";
}

TEST(LoadBalancing, UsesTheMeasuredUsageOfPods) {
  PlanBench bench;
  bench.node("a", 0.9, 0.2).node("b", 0.2, 0.2);
  bench.pods("web", 3, "a", "500m", "1Gi");
  bench.pod_uses("web-a-0", 0.1, 1e9).pod_uses("web-a-1", 1.6, 1e9).pod_uses("web-a-2", 0.2, 1e9);
  EXPECT_THAT(moves_of(balance(bench)), ElementsAre("web-a-1 a -> b"));
}

TEST(LoadBalancing, APodWithANegligibleLoadIsNotMoved) {
  PlanBench bench;
  bench.node("a", 0.9, 0.2).node("b", 0.2, 0.2);
  bench.pods("web", 2, "a", "10m", "10Mi");
  bench.pod_uses("web-a-0", 0.02, 1e6).pod_uses("web-a-1", 0.02, 1e6);
  EXPECT_THAT(balance(bench).moves, IsEmpty()) << "half a point is not worth a move";
}

TEST(LoadBalancing, UsesRequestsIfNoLoadIsMeasured) {
  PlanBench bench;
  bench.node("a", kUnknownLoad, kUnknownLoad).node("b", kUnknownLoad, kUnknownLoad);
  bench.pods("web", 4, "a", "900m", "1Gi");
  bench.by_requests();
  const Plan plan = balance(bench);
  EXPECT_THAT(plan.moves, SizeIs(2));
  EXPECT_EQ(plan.judged_by, "requests");
}

TEST(LoadBalancing, TheCapsLimitTheMoves) {
  PlanBench bench;
  bench.node("a", 0.95, 0.3).node("b", 0.05, 0.3).node("c", 0.05, 0.3);
  bench.pods("web", 8, "a", "300m", "1Gi");
  bench.request.caps.total = 1;
  EXPECT_THAT(balance(bench).moves, SizeIs(1));
  bench.request.caps = {.total = 0, .per_node = 2, .per_namespace = 0, .per_workload = 0};
  EXPECT_THAT(balance(bench).moves, SizeIs(2));
  bench.request.caps = {.total = 0, .per_node = 0, .per_namespace = 0, .per_workload = 1};
  EXPECT_THAT(balance(bench).moves, SizeIs(1));
}

TEST(LoadBalancing, DoesNotReturnAWorkloadToANodeThatItLeft) {
  PlanBench bench;
  bench.node("a", 0.9, 0.3).node("b", 0.1, 0.3).node("c", 0.3, 0.3);
  bench.pods("web", 6, "a", "500m", "1Gi");
  bench.request.held.ping_pong.record_move({"ReplicaSet", "default", "web", "web"}, "b", "a");
  const Plan plan = balance(bench);
  EXPECT_THAT(plan.moves, Not(IsEmpty()));
  for (const PlannedMove& move : plan.moves) EXPECT_EQ(move.target, "c");
}

TEST(LoadBalancing, APoolCanSwitchTheStrategyOffOrHaveItsOwnThresholds) {
  PlanBench bench;
  bench.add(cluster::testing::node("a").condition("Ready", "True").label("pool", "batch")).uses("a", 0.95, 0.3);
  bench.node("b", 0.1, 0.3).node("c", 0.1, 0.3);
  bench.pods("web", 6, "a", "500m", "1Gi");
  bench.args.rescheduling.pools = {
      {.name = "batch", .selector = "pool=batch", .modes = {{Strategy::LoadBalancing, config::StrategyMode::Off}}}};
  EXPECT_THAT(balance(bench).moves, IsEmpty());
  bench.args.rescheduling.pools[0].modes.clear();
  bench.args.rescheduling.pools[0].bands = {{"cpu", {98, 97}}};
  bench.args.rescheduling.load_balancing.deviation_trigger = 100;
  EXPECT_THAT(balance(bench).moves, IsEmpty()) << "95 % is below the threshold of the pool";
}

TEST(LoadBalancing, PlanningDoesNotChangeTheSnapshot) {
  PlanBench bench;
  bench.node("a", 0.95, 0.3).node("b", 0.05, 0.3).node("c", 0.15, 0.3);
  bench.pods("web", 8, "a", "300m", "1Gi").pods("db", 2, "c", "100m", "1Gi");
  const std::string before = text_of(bench.snapshot);
  EXPECT_THAT(balance(bench).moves, Not(IsEmpty()));
  EXPECT_EQ(text_of(bench.snapshot), before);
}

TEST(LoadBalancing, AfterAPlanIsCarriedOutTheNextPlanIsEmpty) {
  PlanBench bench;
  bench.node("a", 0.95, 0.3).node("b", 0.05, 0.3).node("c", 0.15, 0.3);
  bench.pods("web", 8, "a", "300m", "1Gi").pods("db", 2, "c", "100m", "1Gi");
  const Plan plan = balance(bench);
  bench.carry_out(plan);
  const Plan again = balance(bench);
  EXPECT_THAT(again.moves, IsEmpty());
  EXPECT_NEAR(again.before.balance.score, plan.after.balance.score, 1e-6);
}

}  // namespace
}  // namespace rescheduler::rescheduling::testing
