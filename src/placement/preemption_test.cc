// Examples of preemption; preemption_property_test.cc has the general properties.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::budget;
using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::Texts;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

PodBuilder big(const std::string& name, int priority) { return pod(name).requests("2", "1Gi").priority(priority); }

TEST(PreemptionVictims, OnlyPodsOfLowerPriorityArePreempted) {
  Bench bench;
  bench.add(node("n").cpu("2")).add(big("there", 10).on("n"));
  EXPECT_EQ(bench.decide(big("p", 10)).outcome, Outcome::Unschedulable);
  const SchedulingResult answer = bench.decide(big("p", 11));
  EXPECT_EQ(answer.outcome, Outcome::Preempts);
  EXPECT_EQ(answer.node, "n");
  EXPECT_THAT(answer.victims, ElementsAre("there"));
  EXPECT_EQ(answer.message, "0/1 nodes are available: 1 Insufficient cpu.");
}

TEST(PreemptionVictims, ThePodWithTheLowestPriorityIsPreemptedFirst) {
  Bench bench;
  bench.add(node("n").cpu("4"));
  bench.add(big("minor", 1).started(5).on("n")).add(big("major", 2).started(9).on("n"));
  EXPECT_THAT(bench.decide(big("p", 10)).victims, ElementsAre("minor"));
}

TEST(PreemptionVictims, AmongPodsOfEqualPriorityThePodThatStartedLastIsPreempted) {
  Bench bench;
  bench.add(node("n").cpu("6"));
  bench.add(big("old", 1).started(5).on("n"))
      .add(big("young", 1).started(9).on("n"))
      .add(big("older", 1).started(1).on("n"));
  EXPECT_THAT(bench.decide(big("p", 10)).victims, ElementsAre("young"));
  bench.add(big("not yet started", 1).on("n"));
  bench.add(node("n").cpu("8"));
  EXPECT_THAT(bench.decide(big("p", 10)).victims, ElementsAre("not yet started"));
}

TEST(PreemptionVictims, NodesWherePreemptionDoesNotHelpAreNoCandidates) {
  Bench bench;
  bench.add(node("tainted").taint("a", "", "NoSchedule")).add(node("small").cpu("1")).add(node("n").cpu("2"));
  bench.add(big("a", 0).on("tainted")).add(pod("b").requests("1", "1Gi").on("small")).add(big("c", 0).on("n"));
  const SchedulingResult answer = bench.decide(big("p", 10));
  EXPECT_EQ(answer.candidates.size(), 1U);
  EXPECT_EQ(answer.node, "n");
}

TEST(PreemptionVictims, TheNodeWithTheCheapestVictimsIsChosen) {
  struct Row {
    const char* what;
    std::vector<PodBuilder> expensive;  // on the node that is not chosen
    std::vector<PodBuilder> cheap;      // on the node that is chosen
  };
  const auto small = [](const std::string& name, int priority) {
    return pod(name).requests("1", "1Gi").priority(priority);
  };
  const Row rows[] = {
      {"no budget is violated", {big("a", 0).label("app", "kept")}, {big("b", 5)}},
      {"the highest priority is lower", {big("a", 5)}, {small("b", 4), small("c", 4)}},
      {"the sum of priorities is lower", {small("a", 5), small("b", 4)}, {small("c", 5), small("d", 3)}},
      {"there are fewer victims, even with negative priorities", {small("a", -5), small("b", -5)}, {big("c", -5)}},
      {"the victim started later", {big("a", 5).started(10)}, {big("b", 5).started(20)}},
      {"the earliest victim started later",
       {small("a", 5).started(10), small("b", 5).started(90)},
       {small("c", 5).started(20), small("d", 5).started(30)}},
  };
  for (const Row& row : rows) {
    for (const bool expensive_first : {true, false}) {
      SCOPED_TRACE(row.what);
      Bench bench;
      bench.add(budget("kept", Texts{{"app", "kept"}}, 0));
      bench.add(node(expensive_first ? "expensive" : "cheap").cpu("2"))
          .add(node(expensive_first ? "cheap" : "expensive").cpu("2"));
      for (const PodBuilder& one : row.expensive) bench.add(PodBuilder(one).on("expensive"));
      for (const PodBuilder& one : row.cheap) bench.add(PodBuilder(one).on("cheap"));
      EXPECT_EQ(bench.decide(big("p", 10)).node, "cheap");
    }
  }
}

TEST(PreemptionVictims, PodsWhoseEvictionViolatesABudgetAreKeptFirst) {
  Bench bench;
  bench.add(budget("one", Texts{{"app", "x"}}, 1));
  bench.add(node("n").cpu("6"));
  bench.add(big("first", 3).label("app", "x").on("n"));
  bench.add(big("second", 2).label("app", "x").on("n"));
  bench.add(big("third", 9).on("n"));
  // The PodDisruptionBudget allows the eviction of "first", the more important one, but not of "second". So "second"
  // stays.
  EXPECT_THAT(bench.decide(pod("p").requests("4", "1Gi").priority(10)).victims, ElementsAre("third", "first"));
}

TEST(PreemptionVictims, APodThatTheBudgetAlreadyCountsAsDisruptedViolatesNoBudget) {
  Bench bench;
  bench.add(budget("one", Texts{{"app", "x"}}, 0).disrupted("there"));
  bench.add(node("n").cpu("2")).add(big("there", 0).label("app", "x").on("n"));
  const SchedulingResult answer = bench.decide(big("p", 10));
  EXPECT_EQ(std::get<0>(answer.candidates.at("n").rank), 0);
}

TEST(PreemptionVictims, APodWithPreemptionPolicyNeverDoesNotPreempt) {
  Bench bench;
  bench.add(node("n").cpu("2")).add(big("there", 0).on("n"));
  const SchedulingResult answer = bench.decide(big("p", 10).never_preempts());
  EXPECT_EQ(answer.outcome, Outcome::Unschedulable);
  EXPECT_THAT(answer.message, HasSubstr("preemption: not eligible due to preemptionPolicy=Never."));
}

TEST(PreemptionVictims, APodDoesNotPreemptAgainWhileAVictimTerminatesOnItsNominatedNode) {
  Bench bench;
  bench.add(node("n").cpu("2")).add(node("m").cpu("2"));
  bench.add(big("victim", 0).being_preempted().on("n")).add(big("other", 0).on("m"));
  const SchedulingResult answer = bench.decide(big("p", 10).nominated("n"));
  EXPECT_EQ(answer.outcome, Outcome::Unschedulable);
  EXPECT_THAT(answer.message, HasSubstr("preemption: not eligible due to a terminating pod on the nominated node."));
  // A pod that terminates for another reason does not count.
  bench.model().remove_pod("uid-victim");
  bench.add(big("leaving", 0).terminating().on("n"));
  EXPECT_EQ(bench.decide(big("p", 10).nominated("n")).outcome, Outcome::Preempts);
}

TEST(PreemptionVictims, PreemptionResolvesHostPortConflictsAndAntiAffinity) {
  Bench bench;
  bench.add(node("n")).add(pod("holder").host_port(80).on("n"));
  EXPECT_THAT(bench.decide(pod("p").host_port(80).priority(1)).victims, ElementsAre("holder"));
  Bench own_anti_affinity;
  own_anti_affinity.add(node("n")).add(pod("there").label("app", "x").on("n")).add(pod("harmless").on("n"));
  EXPECT_THAT(
      own_anti_affinity.decide(pod("p").away("kubernetes.io/hostname", {.labels = {{{"app", "x"}}}}).priority(1))
          .victims,
      ElementsAre("there"));
  Bench existing_anti_affinity;
  existing_anti_affinity.add(node("n")).add(
      pod("there").away("kubernetes.io/hostname", {.labels = {{{"app", "x"}}}}).on("n"));
  EXPECT_THAT(existing_anti_affinity.decide(pod("p").label("app", "x").priority(1)).victims, ElementsAre("there"));
}

TEST(PreemptionVictims, PreemptionResolvesATopologySpreadViolation) {
  Bench bench;
  bench.add(node("a").zone("a")).add(node("b").zone("b").cordoned());
  bench.add(pod("1").label("app", "x").on("a"));
  const auto context = pod("p").label("app", "x").spread({.labels = Texts{{"app", "x"}}}).priority(1);
  EXPECT_THAT(bench.decide(context).victims, ElementsAre("1"));
}

TEST(PreemptionVictims, PreemptionDoesNotHelpWhereANominatedPodOfHigherPriorityNeedsTheNode) {
  Bench bench;
  bench.add(node("n").cpu("2")).add(big("there", 0).on("n"));
  bench.nominate(big("nominated", 20), "n");
  EXPECT_EQ(bench.decide(big("p", 10)).outcome, Outcome::Unschedulable);
  EXPECT_EQ(bench.decide(big("p", 21)).outcome, Outcome::Preempts);
}

TEST(PreemptionVictims, PreemptionRunsOnlyIfTheProfileEnablesDefaultPreemption) {
  Profile profile = standard_profile();
  std::erase_if(profile.at(Point::PostFilter), [](const PluginUse& use) { return use.name == "DefaultPreemption"; });
  Bench bench(profile);
  bench.add(node("n").cpu("2")).add(big("there", 0).on("n"));
  const SchedulingResult answer = bench.decide(big("p", 10));
  EXPECT_EQ(answer.outcome, Outcome::Unschedulable);
  EXPECT_EQ(answer.message, "0/1 nodes are available: 1 Insufficient cpu. no new claims to deallocate");
  EXPECT_THAT(answer.candidates, IsEmpty());
}

TEST(PreemptionVictims, TheSearchContinuesWhileAllCandidatesViolateABudget) {
  Bench bench;
  bench.add(budget("kept", Texts{{"app", "kept"}}, 0));
  for (int i = 0; i < 120; ++i) {
    const std::string name = "n" + std::to_string(i);
    const PodBuilder there = big("on-" + name, 0).on(name);
    bench.add(node(name).cpu("2")).add(i == 119 ? there : PodBuilder(there).label("app", "kept"));
  }
  EXPECT_EQ(bench.decide(big("p", 10)).node, "n119") << "the only node without a violated budget is examined last";
}

TEST(PreemptionVictims, TheSearchStopsAtTheMaximumNumberOfCandidates) {
  Bench bench;
  for (int i = 0; i < 120; ++i) {
    const std::string name = "n" + std::to_string(i);
    bench.add(node(name).cpu("2")).add(big("on-" + name, 0).on(name));
  }
  EXPECT_EQ(bench.decide(big("p", 10)).candidates.size(), 100U);
}

}  // namespace
}  // namespace rescheduler::placement::testing
