#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/plugins/rescheduler_testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::kCpuLoad;
using cluster::kMemoryLoad;
using cluster::LoadBasis;
using cluster::NodeLoad;
using cluster::testing::node;
using cluster::testing::pod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kHotCpu = "node(s) were above the cpu load threshold";
constexpr const char* kHotMemory = "node(s) were above the memory load threshold";

ReschedulerArgs with(const std::function<void(ReschedulerArgs&)>& change) {
  ReschedulerArgs args;
  change(args);
  return args;
}

Code verdict(LoadBench& bench, const std::string& name, const api::Pod& context = pod("p")) {
  return bench.ask("Rescheduler", context, name).code;
}

// --- Filter ---

TEST(ReschedulerFilter, RejectsANodeAboveAThresholdAndNamesTheResource) {
  LoadBench bench;
  bench.uses("at", 0.8, 0.8).uses("cpu", 0.81, 0.1).uses("memory", 0.1, 0.81).uses("both", 0.9, 1.2).update_summary();
  EXPECT_EQ(verdict(bench, "at"), Code::Success);
  EXPECT_THAT(bench.ask("Rescheduler", pod("p"), "cpu").reasons, ElementsAre(kHotCpu));
  EXPECT_THAT(bench.ask("Rescheduler", pod("p"), "memory").reasons, ElementsAre(kHotMemory));
  EXPECT_THAT(bench.ask("Rescheduler", pod("p"), "both").reasons, ElementsAre(kHotCpu, kHotMemory));
  EXPECT_EQ(verdict(bench, "both"), Code::UnschedulableAndUnresolvable)
      << "preemption does not lower the load immediately";
}

TEST(ReschedulerFilter, UsesTheThresholdsOfItsArguments) {
  LoadBench bench(with([](ReschedulerArgs& args) { args.cpu_threshold = 50, args.memory_threshold = 90; }));
  bench.uses("a", 0.55, 0.1).uses("b", 0.45, 0.85).update_summary();
  EXPECT_NE(verdict(bench, "a"), Code::Success);
  EXPECT_EQ(verdict(bench, "b"), Code::Success);
}

TEST(ReschedulerFilter, CountsReservedLoadButNotTheLoadOfTheIncomingPod) {
  LoadBench bench;
  bench.uses("n", 0.7, 0.1).update_summary();
  EXPECT_EQ(verdict(bench, "n", pod("large").requests("4", "1Gi")), Code::Success);
  bench.reserve("n", 0.11, 0);
  EXPECT_NE(verdict(bench, "n"), Code::Success);
}

TEST(ReschedulerFilter, UnknownLoadDoesNotRejectANode) {
  LoadBench bench;
  bench.uses("hot", 1, 1).uses("half", cluster::kUnknownLoad, 0.9).loaded("unknown", {}).update_summary();
  EXPECT_EQ(verdict(bench, "unknown"), Code::Success);
  EXPECT_THAT(bench.ask("Rescheduler", pod("p"), "half").reasons, ElementsAre(kHotMemory))
      << "the known memory load counts";
}

TEST(ReschedulerFilter, RejectsNoNodeIfTheLoadBasisIsRequestsOrRoundRobin) {
  LoadBench bench;
  bench.uses("n", 1, 1).add(pod("there").requests("4", "30Gi").on("n"));
  for (const LoadBasis basis : {LoadBasis::Requests, LoadBasis::RoundRobin}) {
    bench.update_summary(basis);
    EXPECT_EQ(verdict(bench, "n"), Code::Success);
  }
}

TEST(ReschedulerFilter, DoesNotRejectTheNodeThatAPodNamesInMatchFields) {
  const auto named = [](const std::string& values) {
    return pod("agent").node_affinity(R"({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchFields": [{"key": "metadata.name", "operator": "In", "values": [)"
                                      + values + "]}]}]}}");
  };
  LoadBench bench;
  bench.uses("n", 1, 1).update_summary();
  EXPECT_EQ(verdict(bench, "n", named(R"("n")")), Code::Success) << "the DaemonSet controller writes this affinity";
  const auto label =
      pod("p").node_affinity(R"({"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
      {"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["n"]}]}]}})");
  EXPECT_NE(verdict(bench, "n", label), Code::Success) << "other nodes can have the label";
}

TEST(ReschedulerFilter, DoesNothingIfSchedulingOptimizationIsDisabled) {
  LoadBench bench(with([](ReschedulerArgs& args) { args.enable_scheduling_optimization = false; }));
  bench.uses("hot", 1, 1).uses("idle", 0, 0).update_summary();
  EXPECT_EQ(verdict(bench, "hot"), Code::Success);
  const SchedulingResult answer = bench.decide(pod("p"));
  EXPECT_EQ(answer.normalized.at("Rescheduler"), (std::map<std::string, std::int64_t>{{"hot", 0}, {"idle", 0}}));
}

ReschedulerArgs with_pressure(double weight, double threshold) {
  return with([&](ReschedulerArgs& args) {
    args.load_resources.push_back({.name = "pressure", .query = "x", .weight = weight, .threshold = threshold});
  });
}

NodeLoad pressed(double pressure, std::size_t place) {
  NodeLoad load;
  load.used[kCpuLoad] = load.used[kMemoryLoad] = 0.1;
  load.used[place] = pressure;
  return load;
}

TEST(ReschedulerFilter, FurtherResourcesHaveThresholdsToo) {
  LoadBench bench(with_pressure(0.2, 30));
  bench.loaded("n", pressed(0.4, 2)).update_summary();
  EXPECT_EQ(verdict(bench, "n"), Code::Success) << "the load summary does not contain the resource";
  bench.update_summary(LoadBasis::Usage, {"pressure"});
  EXPECT_THAT(bench.ask("Rescheduler", pod("p"), "n").reasons,
              ElementsAre("node(s) were above the pressure load threshold"));
  bench.loaded("n", pressed(0.4, 3)).update_summary(LoadBasis::Usage, {"other", "pressure"});
  EXPECT_NE(verdict(bench, "n"), Code::Success) << "the position in the load summary does not matter";
  bench.loaded("n", pressed(0.4, 2));
  EXPECT_EQ(verdict(bench, "n"), Code::Success);
}

// --- Pods that do not wait any longer for a node below the thresholds ---

constexpr std::int64_t kCreated = 1'700'000'000;  // 2023-11-14T22:13:20Z

cluster::testing::PodBuilder created(const std::string& name) {
  return pod(name).merge(R"({"metadata": {"creationTimestamp": "2023-11-14T22:13:20Z"}})");
}

WallTime after(int seconds) { return WallTime{std::chrono::seconds{kCreated + seconds}}; }

TEST(ReschedulerFilter, AfterTheWaitAPodGetsTheBestOfTheNodesAboveTheThresholds) {
  LoadBench bench;
  bench.uses("hottest", 1.2, 0.1).uses("hotter", 0.95, 0.1).uses("hot", 0.85, 0.1).update_summary();
  bench.model().set_load_time(after(59));
  EXPECT_EQ(bench.decide(created("p")).outcome, Outcome::Unschedulable);
  bench.model().set_load_time(after(60));
  const SchedulingResult answer = bench.decide(created("p"));
  EXPECT_EQ(answer.node, "hot");
  EXPECT_THAT(answer.feasible, ElementsAre("hot", "hotter", "hottest")) << "the scores decide";
  EXPECT_TRUE(answer.verdicts.empty());
  EXPECT_EQ(bench.decide(created("p"), {}).node, "hot") << "the cached results of rejected nodes have no scores";
}

TEST(ReschedulerFilter, APodStillAvoidsHotNodesAfterTheWaitIfANodeIsBelowTheThresholds) {
  LoadBench bench;
  bench.uses("hot", 0.85, 0.1).uses("cool", 0.79, 0.1).update_summary();
  bench.model().set_load_time(after(3600));
  EXPECT_THAT(bench.decide(created("p")).feasible, ElementsAre("cool"));
}

TEST(ReschedulerFilter, APodOfHighPriorityDoesNotWait) {
  LoadBench bench(with([](ReschedulerArgs& args) { args.load_filter_priority = 1000; }));
  bench.uses("hot", 0.85, 0.1).update_summary();
  EXPECT_EQ(bench.decide(created("low").priority(999)).outcome, Outcome::Unschedulable);
  EXPECT_EQ(bench.decide(created("high").priority(1000)).node, "hot");
  EXPECT_EQ(bench.hint("Rescheduler", created("high").priority(1000), bench.update_summary()), QueueingHint::Queue);
}

TEST(ReschedulerFilter, AfterTheWaitOtherPluginsGiveTheReasonsAndPreemptionWorks) {
  // The load filter first, so that its verdict hides that of NodeResourcesFit while the pod waits.
  Profile profile = by_load({}, {"Rescheduler", "NodeResourcesFit", "DefaultPreemption"});
  LoadBench bench(profile);
  bench.uses("a", 0.9, 0.1).uses("b", 0.9, 0.1).update_summary();
  for (const char* name : {"a", "b"}) bench.add(pod(std::string("on-") + name).requests("4", "1Gi").on(name));
  const auto large = created("large").requests("4", "1Gi");
  EXPECT_THAT(bench.decide(large).message, HasSubstr("2 node(s) were above the cpu load threshold"));
  bench.model().set_load_time(after(60));
  const SchedulingResult full = bench.decide(large);
  EXPECT_THAT(full.message, HasSubstr("0/2 nodes are available: 2 Insufficient cpu")) << "an autoscaler adds a node";
  EXPECT_THAT(full.rejected_by, ElementsAre("NodeResourcesFit"));
  EXPECT_EQ(bench.decide(created("high").requests("4", "1Gi").priority(10)).outcome, Outcome::Preempts);
}

// --- Hints ---

TEST(ReschedulerHints, ALoadUpdateWakesAPodThatHasWaitedLongEnough) {
  LoadBench bench;
  bench.uses("a", 0.9, 0);
  bench.model().set_load_time(after(59));
  EXPECT_EQ(bench.hint("Rescheduler", created("p"), bench.update_summary()), QueueingHint::Skip);
  bench.model().set_load_time(after(60));
  EXPECT_EQ(bench.hint("Rescheduler", created("p"), bench.update_summary()), QueueingHint::Queue);
}

TEST(ReschedulerHints, ALoadUpdateWakesAPodIfSomeNodeIsBelowTheThresholds) {
  LoadBench bench;
  EXPECT_EQ(bench.hint("Rescheduler", pod("p"), bench.uses("a", 0.9, 0).uses("b", 0, 0.9).update_summary()),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint("Rescheduler", pod("p"), bench.uses("b", 0, 0.7).update_summary()), QueueingHint::Queue);
  EXPECT_EQ(bench.hint("Rescheduler", pod("p"), bench.uses("b", 0, 0.9).update_summary(LoadBasis::Requests)),
            QueueingHint::Queue)
      << "no node is hot if no load is known";
  EXPECT_EQ(bench.hint("Rescheduler", pod("p"), bench.model().upsert_node(node("new"))), QueueingHint::Queue);
}

// --- Score ---

TEST(ReschedulerScore, IsTheFreeShareDominatedByTheFullestResourcePlusABonusBelowTheMean) {
  LoadBench bench;
  bench.uses("less", 0.2, 0.4).uses("more", 0.4, 0.6).update_summary();  // means 0.3 and 0.5
  const auto context = pod("p").requests("400m", "3276Mi");              // one tenth of a node
  // 90 x (1 - (0.6 x 0.3^4 + 0.4 x 0.5^4)^(1/4)) + 10 x 0.1/0.38, and 90 x (1 - (0.6 x 0.5^4 + 0.4 x 0.7^4)^(1/4))
  EXPECT_EQ(bench.score("less", context), 55);
  EXPECT_EQ(bench.score("more", context), 36);
  EXPECT_EQ(bench.decide(context).node, "less");
}

TEST(ReschedulerScore, MuchFreeMemoryDoesNotCompensateForAHighCpuLoad) {
  LoadBench bench(with([](ReschedulerArgs& args) { args.load_balance_bonus = 0; }));
  bench.uses("lopsided", 0.7, 0.1).uses("even", 0.5, 0.5).update_summary();  // weighted means 0.46 and 0.5
  EXPECT_LT(bench.score("lopsided", pod("p")), bench.score("even", pod("p")));
}

TEST(ReschedulerScore, ANodeWithAVolatileLoadScoresLowerThanANodeWithAStableLoad) {
  LoadBench bench;
  bench.uses("stable", 0.4, 0.4).uses("volatile", 0.4, 0.4).update_summary();
  EXPECT_EQ(bench.score("stable", pod("p")), bench.score("volatile", pod("p")));
  const auto index = *bench.model().find_node("volatile");
  cluster::NodeLoad load = bench.model().node(index).load;
  load.volatility[cluster::kCpuLoad] = 0.2;
  bench.model().set_load(index, load);
  EXPECT_GT(bench.score("stable", pod("p")), bench.score("volatile", pod("p")));
}

TEST(ReschedulerScore, UsesTheWeightsOfItsArguments) {
  LoadBench cpu(with([](ReschedulerArgs& args) { args.cpu_score_weight = 0.9, args.memory_score_weight = 0.1; }));
  LoadBench memory(with([](ReschedulerArgs& args) { args.cpu_score_weight = 0.1, args.memory_score_weight = 0.9; }));
  for (LoadBench* bench : {&cpu, &memory})
    bench->uses("idle cpu", 0.1, 0.7).uses("idle memory", 0.7, 0.1).update_summary();
  EXPECT_EQ(cpu.decide(pod("p")).node, "idle cpu");
  EXPECT_EQ(memory.decide(pod("p")).node, "idle memory");
}

TEST(ReschedulerScore, UsesTheBonusOfItsArguments) {
  LoadBench bench(with([](ReschedulerArgs& args) { args.load_balance_bonus = 100; }));
  bench.uses("below", 0.2, 0.2).uses("above", 0.3, 0.3).update_summary();
  EXPECT_EQ(bench.score("below", pod("p")), 20) << "the load is one fifth below the mean";
  EXPECT_EQ(bench.score("above", pod("p")), 0);
}

TEST(ReschedulerScore, CountsReservedLoad) {
  LoadBench bench;
  bench.uses("a", 0.2, 0.2).uses("b", 0.3, 0.3).update_summary();
  EXPECT_EQ(bench.decide(pod("p")).node, "a");
  bench.reserve("a", 0.3, 0.3);
  EXPECT_EQ(bench.decide(pod("p")).node, "b");
}

TEST(ReschedulerScore, APodCountsByItsShareOfTheNode) {
  LoadBench bench;
  bench.add(node("small").cpu("2").memory("4Gi")).add(node("large").cpu("32").memory("64Gi"));
  bench.uses("small", 0.2, 0.2).uses("large", 0.25, 0.25).update_summary();
  EXPECT_EQ(bench.decide(pod("p").requests("1", "1Gi")).node, "large") << "the pod would use half of the small node";
  EXPECT_EQ(bench.decide(pod("p").requests("10m", "1Mi")).node, "small");
}

TEST(ReschedulerScore, ANodeWithUnknownLoadCountsNeitherAsIdleNorAsFull) {
  LoadBench bench;
  bench.uses("idle", 0.02, 0.02).uses("busy", 0.7, 0.7).loaded("unknown", {}).update_summary();
  const auto context = pod("p");
  EXPECT_GT(bench.score("idle", context), bench.score("unknown", context));
  EXPECT_GT(bench.score("unknown", context), bench.score("busy", context));
  bench.add(pod("there").requests("3600m", "29Gi").on("unknown"));
  EXPECT_LT(bench.score("unknown", context), bench.score("busy", context)) << "by the requests of its pods";
}

TEST(ReschedulerScore, CountsReservedLoadOnANodeWithUnknownLoad) {
  LoadBench bench;
  bench.uses("known", 0.4, 0.4).loaded("unknown", {}).update_summary();
  const std::int64_t before = bench.score("unknown", pod("p"));
  bench.reserve("unknown", 0.2, 0.2);
  EXPECT_LT(bench.score("unknown", pod("p")), before);
}

TEST(ReschedulerScore, AResourceWhoseLoadIsUnknownOnAllNodesIsScoredByRequests) {
  LoadBench bench;
  bench.uses("a", 0.3, cluster::kUnknownLoad).uses("b", 0.3, cluster::kUnknownLoad).update_summary();
  bench.add(pod("there").requests("1m", "16Gi").on("a"));
  EXPECT_EQ(bench.decide(pod("p")).node, "b");
}

TEST(ReschedulerScore, WithoutMeasurementsNodesAreScoredByRequests) {
  LoadBench bench;
  bench.uses("a", 0, 0).uses("b", 0.7, 0.7).update_summary(LoadBasis::Requests);
  bench.add(pod("there").requests("2", "16Gi").on("a"));
  const auto context = pod("p").requests("400m", "3276Mi");
  EXPECT_EQ(bench.decide(context).node, "b");
  EXPECT_EQ(bench.score("a", context), 36) << "90 x (1 - 0.5 - 0.1)";
}

TEST(ReschedulerScore, LoadsAreLimitedToTheRangeFromIdleToFull) {
  LoadBench bench(with([](ReschedulerArgs& args) { args.load_balance_bonus = 0; }));
  bench.add(node("n")).add(node("m")).add(pod("there").requests("2", "64Gi").on("n"));
  bench.update_summary(LoadBasis::Requests);
  EXPECT_EQ(bench.score("n", pod("p").requests("400m", "1")), 17)
      << "overcommitted memory counts as full, not as more than full";
  bench.uses("n", -5, 0.5).update_summary();
  EXPECT_EQ(bench.score("n", pod("p").requests("400m", "1")), 60)
      << "a negative CPU load does not compensate for memory";
}

TEST(ReschedulerScore, PodsWithoutRequestsAreSpreadOverTheNodes) {
  LoadBench bench;
  bench.add(node("a")).add(node("b"));
  bench.update_summary(LoadBasis::Requests);
  for (int i = 0; i < 4; ++i) bench.add(pod("there" + std::to_string(i)).on("a"));
  EXPECT_EQ(bench.decide(pod("p")).node, "b");
}

NodeLoad after_turns(std::uint32_t round_robin_count) {
  NodeLoad load;
  load.round_robin_count = round_robin_count;
  return load;
}

TEST(ReschedulerScore, WithRoundRobinTheNodeWithTheFewestTurnsScoresHighest) {
  LoadBench bench;
  bench.loaded("a", after_turns(1000)).loaded("b", after_turns(1001)).loaded("c", after_turns(5000));
  bench.update_summary(LoadBasis::RoundRobin);
  const SchedulingResult answer = bench.decide(pod("p"));
  EXPECT_EQ(answer.node, "a");
  EXPECT_EQ(answer.normalized.at("Rescheduler"),
            (std::map<std::string, std::int64_t>{{"a", 100}, {"b", 90}, {"c", 0}}));
}

TEST(ReschedulerScore, FurtherResourcesCountInTheScore) {
  LoadBench bench(with_pressure(1, 100));
  bench.loaded("pressed", pressed(0.9, 2))
      .loaded("free", pressed(0.1, 2))
      .update_summary(LoadBasis::Usage, {"pressure"});
  EXPECT_EQ(bench.decide(pod("p")).node, "free");
  EXPECT_GT(bench.score("free", pod("p")), bench.score("pressed", pod("p")) + 30);
  bench.update_summary();
  EXPECT_EQ(bench.score("free", pod("p")), bench.score("pressed", pod("p")))
      << "the load summary does not contain the resource";
}

// --- In a profile ---

TEST(Rescheduler, ImplementsTheDocumentedExtensionPointsAndItsResultsCanBeCached) {
  LoadBench bench;
  const Plugin& plugin = *bench.framework().find("Rescheduler");
  for (const Point point : {Point::Filter, Point::Score, Point::Reserve, Point::PreBind}) {
    EXPECT_TRUE(plugin.points().has(point)) << name_of(point);
  }
  EXPECT_TRUE(plugin.depends_on_node_only()) << "5,000 nodes are not evaluated again for every pod";
}

TEST(Rescheduler, CachedResultsAreDroppedWhenLoadsChange) {
  LoadBench bench;
  bench.uses("a", 0.1, 0.1).uses("b", 0.5, 0.5).uses("c", 0.5, 0.5).update_summary();
  EXPECT_EQ(bench.decide(pod("p")).node, "a");
  bench.uses("a", 0.9, 0.1).update_summary();
  EXPECT_THAT(bench.decide(pod("p")).feasible, ElementsAre("b", "c"));
  bench.update_summary(LoadBasis::Requests);
  EXPECT_THAT(bench.decide(pod("p")).feasible, ElementsAre("a", "b", "c")) << "only the load summary changed";
}

TEST(Rescheduler, TheMessageCountsNodesByReasonAndNoPodIsPreempted) {
  Profile profile = by_load({}, {"NodeResourcesFit", "DefaultPreemption", "Rescheduler"});
  LoadBench bench(profile);
  bench.uses("a", 0.9, 0.1).uses("b", 0.85, 0.1).uses("c", 0.1, 0.95).update_summary();
  bench.add(pod("low").on("a").priority(1));
  const SchedulingResult answer = bench.decide(pod("p").priority(100));
  EXPECT_EQ(answer.outcome, Outcome::Unschedulable);
  EXPECT_THAT(answer.message, HasSubstr("0/3 nodes are available: 1 node(s) were above the memory load threshold, 2 "
                                        "node(s) were above the cpu load threshold. "));
  EXPECT_THAT(answer.rejected_by, ElementsAre("Rescheduler"));
}

TEST(Rescheduler, RequestsMustFitEvenOnAnIdleNode) {
  LoadBench bench(by_load({}, {"NodeResourcesFit", "Rescheduler"}));
  bench.uses("idle", 0.01, 0.01).uses("busy", 0.7, 0.7).update_summary();
  bench.add(pod("sleeper").requests("4", "1Gi").on("idle"));
  EXPECT_EQ(bench.decide(pod("p").requests("1", "1Gi")).node, "busy");
}

TEST(Rescheduler, ABurstOfPodsBetweenTwoMeasurementsIsSpreadOverTheNodes) {
  LoadBench bench;
  constexpr int kNodes = 10;
  for (int i = 0; i < kNodes; ++i) bench.uses("n" + std::to_string(i), i == 0 ? 0.05 : 0.1, 0.1);
  bench.update_summary();
  for (int i = 0; i < 200; ++i) {
    const SchedulingResult answer =
        bench.decide(pod("p").requests("100m", "100Mi"), {.tie_break = static_cast<unsigned>(i)});
    bench.reserve(answer.node, 0.025, 0.003);
  }
  double most = 0;
  double sum = 0;
  for (int i = 0; i < kNodes; ++i) {
    const double load = bench.load("n" + std::to_string(i)).predicted(kCpuLoad);
    most = std::max(most, load);
    sum += load;
  }
  EXPECT_LE(most / (sum / kNodes), 1.15);
}

}  // namespace
}  // namespace rescheduler::placement::testing
