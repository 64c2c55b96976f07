// Whole decisions: the outcome, the messages, and the order of the steps.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(DecidePod, WithoutNodesThePodIsUnschedulable) {
  Bench bench;
  const SchedulingResult answer = bench.decide(pod("p"));
  EXPECT_EQ(answer.outcome, Outcome::Unschedulable);
  EXPECT_EQ(answer.message, "no nodes available to schedule pods");
  EXPECT_THAT(answer.rejected_by, IsEmpty());
}

TEST(DecidePod, TheFirstPluginThatRejectsANodeIsReported) {
  Bench bench;
  bench.add(node("n").cordoned().taint("team", "a", "NoSchedule").cpu("1"));
  const SchedulingResult answer = bench.decide(pod("p").requests("2", "1Gi").node_selector("disk", "ssd"));
  EXPECT_EQ(answer.verdicts.at("n").plugin, "NodeUnschedulable");
  EXPECT_THAT(answer.rejected_by, ElementsAre("NodeUnschedulable"));
}

TEST(DecidePod, TheMessageCountsTheNodesOfEachReasonSortedByText) {
  Bench bench;
  for (int i = 0; i < 10; ++i) bench.add(node("small" + std::to_string(i)).cpu("1"));
  for (int i = 0; i < 2; ++i) bench.add(node("tainted" + std::to_string(i)).taint("a", "", "NoSchedule"));
  bench.add(node("full")).add(pod("there").requests("4", "1Gi").on("full"));
  EXPECT_EQ(bench.decide(pod("p").requests("2", "1Gi")).message,
            "0/13 nodes are available: 11 Insufficient cpu, 2 node(s) had untolerated taint(s). "
            "no new claims to deallocate, preemption: 0/13 nodes are available: 1 No preemption victims found for "
            "incoming pod, 12 Preemption is not helpful for scheduling.");
}

TEST(DecidePod, TheOnlyFeasibleNodeIsChosenWithoutScoring) {
  Bench bench;
  bench.add(node("n")).add(node("other").cordoned());
  const SchedulingResult answer = bench.decide(pod("p"), {.explain = false});
  EXPECT_EQ(answer.node, "n");
  EXPECT_THAT(answer.totals, IsEmpty());
  EXPECT_THAT(answer.verdicts, IsEmpty());  // no explanation requested
}

TEST(DecidePod, TheBestNodeIsChosenAndTieBreakSelectsAmongEquallyGoodNodes) {
  Bench bench;
  bench.add(node("n1")).add(node("n2")).add(node("busy")).add(pod("there").requests("3", "20Gi").on("busy"));
  const auto context = pod("p").requests("100m", "500Mi");
  EXPECT_THAT(bench.decide(context).best, ElementsAre("n1", "n2"));
  EXPECT_NE(bench.decide(context, {.tie_break = 0}).node, bench.decide(context, {.tie_break = 1}).node);
  EXPECT_EQ(bench.decide(context, {.tie_break = 0}).node, bench.decide(context, {.tie_break = 2}).node);
}

TEST(DecidePod, TheSearchStopsAtTheLimitOfFeasibleNodesAndStartsAtTheGivenNode) {
  Bench bench;
  for (const char* name : {"n0", "n1", "n2", "n3"}) bench.add(node(name));
  EXPECT_THAT(bench.decide(pod("p"), {.most_feasible = 2}).feasible, ElementsAre("n0", "n1"));
  EXPECT_THAT(bench.decide(pod("p"), {.most_feasible = 2, .start = 3}).feasible, ElementsAre("n0", "n3"));
}

TEST(NominatedNode, IsTriedFirstAndIsChosenWithoutEvaluatingOtherNodes) {
  Bench bench;
  bench.add(node("nominated")).add(node("better")).add(pod("there").requests("3", "1Gi").on("nominated"));
  const SchedulingResult answer = bench.decide(pod("p").requests("1", "1Gi").nominated("nominated"));
  EXPECT_EQ(answer.node, "nominated");
  EXPECT_THAT(answer.feasible, ElementsAre("nominated"));
}

TEST(NominatedNode, OtherNodesAreTriedIfTheNominatedNodeIsNotFeasible) {
  Bench bench;
  bench.add(node("nominated").cordoned()).add(node("other"));
  EXPECT_EQ(bench.decide(pod("p").nominated("nominated")).node, "other");
  EXPECT_EQ(bench.decide(pod("p").nominated("gone")).node, "other");
}

TEST(NominatedNode, KeepsResourcesForTheNominatedPodAgainstPodsOfEqualOrLowerPriority) {
  Bench bench;
  bench.add(node("n").cpu("2"));
  bench.nominate(pod("other").requests("1500m", "1Gi").priority(10), "n");
  EXPECT_THAT(bench.decide(pod("p").requests("1", "1Gi").priority(10)).feasible, IsEmpty());
  EXPECT_THAT(bench.decide(pod("p").requests("1", "1Gi").priority(11)).feasible, SizeIs(1));
  EXPECT_THAT(bench.decide(pod("p").requests("500m", "1Gi").priority(0)).feasible, SizeIs(1));
  // The nomination of the pod itself takes no resources from it.
  EXPECT_THAT(bench.decide(pod("other").requests("1500m", "1Gi").priority(10)).feasible, SizeIs(1));
}

TEST(NominatedNode, ANominatedPodDoesNotSatisfyTheAffinityOfAnotherPod) {
  // The nominated pod would satisfy the affinity, but it is not bound yet.
  Bench bench;
  bench.add(node("n"));
  bench.nominate(pod("other").label("app", "x").priority(10), "n");
  const auto context = pod("p").near("kubernetes.io/hostname", {.labels = {{{"app", "x"}}}});
  EXPECT_THAT(bench.decide(context).feasible, IsEmpty());
}

TEST(NodeResultCache, ResultsAreRecomputedForANodeThatChangesAndKeptForOtherNodes) {
  Bench bench;
  bench.add(node("n1")).add(node("n2"));
  const auto context = pod("p").requests("1", "1Gi");
  const SchedulingResult first = bench.decide(context);
  bench.add(pod("there").requests("2", "1Gi").on("n1"));
  const SchedulingResult second = bench.decide(context);
  EXPECT_LT(second.totals.at("n1"), first.totals.at("n1"));
  EXPECT_EQ(second.totals.at("n2"), first.totals.at("n2"));
  bench.add(node("n2").cordoned());
  EXPECT_THAT(bench.decide(context).feasible, ElementsAre("n1"));
  bench.model().remove_pod("uid-there");
  EXPECT_EQ(bench.decide(context).totals.at("n1"), first.totals.at("n1"));
}

TEST(NodeResultCache, DroppingTheOldestRequirementsDoesNotChangeResults) {
  Bench bench;
  for (int i = 0; i < 40; ++i) bench.add(node("n" + std::to_string(i)));
  const auto context = [](int i) { return pod("p").request("memory", std::to_string(i + 1) + "Mi"); };
  const SchedulingResult first = bench.decide(context(0));
  for (int i = 0; i < 8000; ++i) bench.decide(context(i), {.explain = false});
  EXPECT_LT(bench.framework().cache().size(), 8000U);
  EXPECT_EQ(difference(bench.decide(context(0)), first), "");
}

}  // namespace
}  // namespace rescheduler::placement::testing
