#include "rescheduling/strategies/strategies.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "rescheduling/planning/plan_testing.h"

namespace rescheduler::rescheduling::testing {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

// --- A custom strategy: a function and a row in the table ---

constexpr auto kCustom = static_cast<Strategy>(config::kStrategies.size());

// Moves the first pod to the node that is least full with it.
void move_one_pod(PlanBuilder& builder) {
  constexpr cluster::PodIndex kFirst{0};
  if (builder.is_moved(kFirst) || builder.why_not_movable(kFirst, Purpose::Improve)) return;
  const cluster::NodeIndex from = builder.what_if().now_on(kFirst);
  builder.what_if().unassign(kFirst);
  const cluster::NodeIndex to = builder.best_target(kFirst, [&](cluster::NodeIndex node) { return node != from; });
  builder.what_if().assign(kFirst, to == cluster::kNoNode ? from : to);
  if (to != cluster::kNoNode) builder.moved(kFirst, {.strategy = kCustom, .cause = "a custom strategy moves it"});
}

TEST(CustomStrategy, AFunctionAndATableRowAddAStrategy) {
  std::vector<StrategyEntry> table(kByImportance.begin(), kByImportance.end());
  table.push_back({kCustom, move_one_pod});
  PlanBench bench;
  bench.node("a", 0.4, 0.2).node("b", 0.2, 0.2).node("c", 0.3, 0.2);
  bench.pods("web", 2, "a", "500m", "1Gi").pods("db", 2, "c", "500m", "1Gi");
  bench.request.draining = {"c"};
  bench.request.table = table;
  const Plan plan = bench.plan({Strategy::NodeMaintenance, kCustom});
  ASSERT_THAT(moves_of(plan), SizeIs(3));
  EXPECT_EQ(std::ranges::count(plan.moves, kCustom, &PlannedMove::strategy), 1);
  const auto custom = std::ranges::find(plan.moves, kCustom, &PlannedMove::strategy);
  EXPECT_EQ(custom->pod, "web-a-0");
  EXPECT_EQ(custom->target, "b") << "c is drained";
  EXPECT_THAT(custom->reason, HasSubstr("a custom strategy moves it; reduces its load by"));
}

// --- NodeMaintenance ---

TEST(NodeMaintenance, AllMovablePodsLeaveTheNode) {
  PlanBench bench;
  bench.node("a", 0.4, 0.2).node("b", 0.2, 0.2).node("c", 0.3, 0.2);
  bench.pods("web", 2, "a", "500m", "1Gi").pods("db", 1, "a", "1", "1Gi");
  bench.request.draining = {"a"};
  const Plan plan = bench.plan({Strategy::NodeMaintenance});
  EXPECT_THAT(plan.moves, SizeIs(3)) << "also a single replica";
  for (const PlannedMove& move : plan.moves) {
    EXPECT_EQ(move.source, "a");
    EXPECT_THAT(move.reason, HasSubstr("a is under maintenance"));
  }
  EXPECT_THAT(plan.notes, Contains("node a can be drained: 3 of 3 pods move now"));
  EXPECT_EQ(plan.after.nodes[0].pods, 0U);
}

TEST(NodeMaintenance, NamesThePodsThatBlockTheDrain) {
  PlanBench bench;
  bench.node("a", 0.4, 0.2).node("b", 0.2, 0.2);
  bench.add(running("local").on("a").merge(R"({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}})"));
  bench.add(running("large").requests("3900m", "1Gi").on("a"));
  bench.add(running("tenant").requests("1", "1Gi").on("b"));
  bench.request.draining = {"a"};
  const Plan plan = bench.plan({Strategy::NodeMaintenance});
  EXPECT_THAT(plan.moves, IsEmpty());
  EXPECT_EQ(refusals_of(plan)["local"], "local-storage");
  EXPECT_EQ(refusals_of(plan)["large"], "no-target");
  EXPECT_THAT(plan.notes,
              Contains(HasSubstr("cannot be drained: 0 of 2 pods move now, 2 stay (1 local-storage, 1 no-target)")));
}

TEST(NodeMaintenance, PodsThatThePolicyLeavesDoNotBlockTheDrain) {
  PlanBench bench;
  bench.node("a", 0.4, 0.2).node("b", 0.2, 0.2);
  bench.args.rescheduling.maintenance.pods.local_storage = config::DrainPolicy::Leave;
  bench.add(running("local").on("a").merge(R"({"spec": {"volumes": [{"name": "v", "emptyDir": {}}]}})"));
  bench.pods("web", 2, "a", "100m", "100Mi");
  bench.request.draining = {"a"};
  const Plan plan = bench.plan({Strategy::NodeMaintenance});
  EXPECT_THAT(plan.moves, SizeIs(2));
  EXPECT_THAT(plan.notes, Contains("node a can be drained: 2 of 2 pods move now; its policy leaves 1 on the node"));
  ASSERT_THAT(plan.refused, SizeIs(1));
  EXPECT_TRUE(plan.refused[0].left);
}

TEST(NodeMaintenance, PodsBeyondTheCapsMoveLaterAndTheNoteSaysSo) {
  PlanBench bench;
  bench.node("a", 0.4, 0.2).node("b", 0.2, 0.2);
  bench.pods("web", 5, "a", "100m", "100Mi");
  bench.request.draining = {"a"};
  bench.request.caps.per_node = 2;
  const Plan plan = bench.plan({Strategy::NodeMaintenance});
  EXPECT_THAT(plan.moves, SizeIs(2));
  EXPECT_THAT(plan.notes, Contains("node a can be drained: 2 of 5 pods move now, 3 later"));
}

TEST(NodeMaintenance, APodDisruptionBudgetSpreadsTheMovesOverSeveralSteps) {
  PlanBench bench;
  bench.node("a", 0.4, 0.2).node("b", 0.2, 0.2).node("c", 0.2, 0.2);
  bench.pods("web", 3, "a", "100m", "100Mi");
  bench.add(budget("web", cluster::testing::Texts{{"app", "web"}}, 1));
  bench.args.rescheduling.brakes.at_once = {.total = 0, .per_node = 0, .per_namespace = 0, .per_workload = 0};
  bench.request.draining = {"a"};
  const Plan plan = bench.plan({Strategy::NodeMaintenance});
  ASSERT_THAT(plan.moves, SizeIs(3));
  EXPECT_EQ(plan.moves[0].step, 1U);
  EXPECT_EQ(plan.moves[1].step, 2U);
  EXPECT_EQ(plan.moves[2].step, 3U);
  EXPECT_EQ(plan.moves[0].budget, BudgetVerdict::Allowed);
}

// The spread of x allows "near" only after the second y is on "far", and the second y must wait for the first.
TEST(NodeMaintenance, AMoveThatDependsOnAnotherMoveIsInALaterStep) {
  PlanBench bench;
  const auto ssd = [](const char* name) {
    return cluster::testing::node(name).condition("Ready", "True").label("disk", "ssd");
  };
  bench.node("old", 0.3, 0.2).add(ssd("near")).add(ssd("far")).uses("near", 0.05, 0.1).uses("far", 0.3, 0.2);
  for (const char* name : {"y1", "y2"}) {
    bench.add(running(name, "y").label("group", "x").requests("100m", "100Mi").host_port(8080).on("old"));
  }
  bench.add(running("x1", "x")
                .label("group", "x")
                .requests("50m", "100Mi")
                .node_selector("disk", "ssd")
                .spread({.max_skew = 1, .topology_key = "kubernetes.io/hostname", .labels = {{{"group", "x"}}}})
                .on("old"));
  bench.args.rescheduling.brakes.at_once.per_workload = 1;
  bench.request.draining = {"old"};
  const Plan plan = bench.plan({Strategy::NodeMaintenance});
  EXPECT_THAT(moves_of(plan), ElementsAre("y1 old -> near", "y2 old -> far", "x1 old -> near"));
  ASSERT_THAT(plan.moves, SizeIs(3));
  EXPECT_LT(plan.moves[1].step, plan.moves[2].step) << "the moves of one step must be possible in any order";
}

// --- ConstraintRepair ---

Plan repair(PlanBench& bench) { return bench.plan({Strategy::ConstraintRepair}); }

TEST(ConstraintRepair, APodLeavesANodeThatItsNodeAffinityDoesNotMatch) {
  PlanBench bench;
  bench.node("a", 0.2, 0.2);
  bench.add(cluster::testing::node("b").condition("Ready", "True").label("disk", "ssd")).uses("b", 0.2, 0.2);
  bench.add(running("p").node_selector("disk", "ssd").on("a")).add(running("q").on("a"));
  bench.args.rescheduling.constraint_repair.duplicates = false;
  const Plan plan = repair(bench);
  EXPECT_THAT(moves_of(plan), ElementsAre("p a -> b"));
  EXPECT_THAT(plan.moves[0].reason, HasSubstr("node affinity"));
}

TEST(ConstraintRepair, APodLeavesANodeWhoseTaintItDoesNotTolerate) {
  PlanBench bench;
  bench.add(cluster::testing::node("a").condition("Ready", "True").taint("team", "x", "NoSchedule"));
  bench.add(cluster::testing::node("c")
                .condition("Ready", "True")
                .taint("node.kubernetes.io/memory-pressure", "", "NoSchedule"));
  bench.node("b", 0.2, 0.2).uses("a", 0.2, 0.2).uses("c", 0.2, 0.2);
  bench.add(running("p").on("a")).add(running("tolerant", "other").toleration("team").on("a"));
  bench.add(running("pressed").on("c"));
  bench.args.rescheduling.protections.least_replicas = 1;
  EXPECT_THAT(moves_of(repair(bench)), ElementsAre("p a -> b")) << "memory pressure is temporary";
}

TEST(ConstraintRepair, OfTwoPodsWithAntiAffinityThePodOfLowerPriorityLeaves) {
  PlanBench bench;
  bench.node("a", 0.2, 0.2).node("b", 0.2, 0.2);
  const cluster::testing::Others web{.labels = {{{"app", "web"}}}};
  bench.add(running("important").priority(10).away("kubernetes.io/hostname", web).on("a"));
  bench.add(running("lesser").away("kubernetes.io/hostname", web).on("a"));
  const Plan plan = repair(bench);
  EXPECT_THAT(moves_of(plan), ElementsAre("lesser a -> b"));
  EXPECT_THAT(plan.moves[0].reason, HasSubstr("anti-affinity"));
}

TEST(ConstraintRepair, PodsAreMovedToSatisfyTheirTopologySpread) {
  PlanBench bench;
  for (const std::string zone : {"a", "b", "c"}) {
    bench.add(cluster::testing::node(zone).condition("Ready", "True").zone(zone)).uses(zone, 0.2, 0.2);
  }
  for (int i = 0; i < 4; ++i) {
    bench.add(running("p" + std::to_string(i)).spread({.labels = {{{"app", "web"}}}}).on("a"));
  }
  bench.args.rescheduling.constraint_repair.duplicates = false;
  const Plan plan = repair(bench);
  EXPECT_THAT(plan.moves, SizeIs(2));
  bench.carry_out(plan);
  EXPECT_THAT(repair(bench).moves, IsEmpty());
}

TEST(ConstraintRepair, ReplicasOnTheSameNodeAreSpreadOverTheNodes) {
  PlanBench bench;
  bench.node("a", 0.2, 0.2).node("b", 0.2, 0.2).node("c", 0.2, 0.2);
  bench.pods("web", 4, "a", "100m", "100Mi").pods("db", 1, "a", "100m", "100Mi");
  const Plan plan = repair(bench);
  EXPECT_THAT(plan.moves, SizeIs(2)) << "four replicas on three nodes: one node has two";
  bench.args.rescheduling.constraint_repair.duplicates = false;
  EXPECT_THAT(repair(bench).moves, IsEmpty());
}

TEST(ConstraintRepair, ReportsTheViolationOfAPodThatHasNoTarget) {
  PlanBench bench;
  bench.node("a", 0.2, 0.2).node("b", 0.2, 0.2);
  bench.add(running("p").node_selector("disk", "ssd").on("a")).add(running("q").on("b"));
  const Plan plan = repair(bench);
  EXPECT_THAT(plan.moves, IsEmpty());
  ASSERT_THAT(plan.refused, SizeIs(1));
  EXPECT_EQ(plan.refused[0].code, "no-target");
  EXPECT_THAT(plan.refused[0].reason, HasSubstr("node affinity"));
}

// --- ResourceOptimization ---

TEST(ResourceOptimization, SwapsPodsOfNodesWhereOneResourceIsExhausted) {
  PlanBench bench;
  bench.node("a", 0.3, 0.3).node("b", 0.3, 0.3);
  bench.pods("cpu", 4, "a", "900m", "1Gi").pods("memory", 4, "b", "100m", "7Gi");
  const Plan plan = bench.plan({Strategy::ResourceOptimization});
  EXPECT_THAT(plan.moves, SizeIs(4)) << "two in each direction";
  EXPECT_THAT(plan.moves[0].reason, HasSubstr("are free but unusable"));
  bench.carry_out(plan);
  EXPECT_THAT(bench.plan({Strategy::ResourceOptimization}).moves, IsEmpty());
}

TEST(ResourceOptimization, PodsOfTheSameShapeAreNotMoved) {
  PlanBench bench;
  bench.node("a", 0.3, 0.3).node("b", 0.3, 0.3);
  bench.pods("web", 4, "a", "500m", "4Gi").pods("web", 1, "b", "500m", "4Gi");
  EXPECT_THAT(bench.plan({Strategy::ResourceOptimization}).moves, IsEmpty());
}

TEST(ResourceOptimization, EmptiesANodeWithFewPodsIfFreeNodesIsEnabled) {
  PlanBench bench;
  bench.node("a", 0.3, 0.3).node("b", 0.4, 0.3).node("c", 0.1, 0.1);
  bench.pods("web", 4, "a", "500m", "4Gi").pods("web", 4, "b", "500m", "4Gi").pods("web", 1, "c", "500m", "4Gi");
  EXPECT_THAT(bench.plan({Strategy::ResourceOptimization}).moves, IsEmpty());
  bench.args.rescheduling.resource_optimization.free_nodes = true;
  const Plan plan = bench.plan({Strategy::ResourceOptimization});
  EXPECT_THAT(plan.moves, SizeIs(1));
  EXPECT_EQ(plan.moves[0].source, "c");
  EXPECT_THAT(plan.notes, Contains(HasSubstr("1 nodes would be free")));
}

// --- Together ---

TEST(MakePlan, LaterStrategiesConsiderTheMovesOfEarlierStrategies) {
  PlanBench bench;
  bench.node("a", 0.6, 0.2).node("b", 0.65, 0.2).node("c", 0.1, 0.2);
  bench.pods("web", 3, "a", "700m", "1Gi").pods("db", 3, "b", "700m", "1Gi");
  bench.request.draining = {"a"};
  const Plan plan = bench.plan({Strategy::NodeMaintenance, Strategy::LoadBalancing});
  EXPECT_GE(plan.moves.size(), 3U) << "all pods leave the drained node";
  for (const PlannedMove& move : plan.moves) EXPECT_NE(move.target, "a");
  for (const auto& node : plan.after.nodes) EXPECT_LE(node.cpu, 0.801);
}

}  // namespace
}  // namespace rescheduler::rescheduling::testing
