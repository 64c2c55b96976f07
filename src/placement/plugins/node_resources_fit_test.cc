#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::NodeBuilder;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr const char* kPlugin = "NodeResourcesFit";
constexpr Code kNever = Code::UnschedulableAndUnresolvable;

TEST(NodeResourcesFit, EveryInsufficientResourceIsNamedAndPermanentShortagesAreUnresolvable) {
  const NodeBuilder small =
      node("n").cpu("2").memory("4Gi").resource("ephemeral-storage", "10Gi").resource("example.com/gpu", "2");
  struct Row {
    const char* what;
    PodBuilder context;
    Code code;
    Reasons reasons;
  };
  const Row rows[] = {
      {"fits exactly", pod("p").requests("1", "3Gi"), Code::Success, {}},
      {"cpu is used by other pods", pod("p").requests("1500m", "1Gi"), Code::Unschedulable, {"Insufficient cpu"}},
      {"more cpu than the node has", pod("p").requests("2001m", "1Gi"), kNever, {"Insufficient cpu"}},
      {"both, one of them unresolvable",
       pod("p").requests("2", "5Gi"),
       kNever,
       {"Insufficient cpu", "Insufficient memory"}},
      {"both are used by other pods",
       pod("p").requests("2", "4Gi"),
       Code::Unschedulable,
       {"Insufficient cpu", "Insufficient memory"}},
      {"storage", pod("p").request("ephemeral-storage", "11Gi"), kNever, {"Insufficient ephemeral-storage"}},
      {"extended resource, used by other pods",
       pod("p").request("example.com/gpu", "2"),
       Code::Unschedulable,
       {"Insufficient example.com/gpu"}},
      {"extended resource, absent on the node",
       pod("p").request("example.com/fpga", "1"),
       kNever,
       {"Insufficient example.com/fpga"}},
      {"huge pages", pod("p").request("hugepages-2Mi", "2Mi"), kNever, {"Insufficient hugepages-2Mi"}},
      {"a request of zero always fits",
       pod("p").request("example.com/fpga", "0").request("cpu", "0"),
       Code::Success,
       {}},
      {"a resource that is not counted", pod("p").request("strange", "5"), Code::Success, {}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    Bench bench;
    bench.add(small).add(pod("there").requests("1", "1Gi").request("example.com/gpu", "1").on("n"));
    EXPECT_EQ(bench.ask(kPlugin, row.context, "n"), (Verdict{row.code, row.reasons, kPlugin}));
  }
}

TEST(NodeResourcesFit, AnOvercommittedNodeAcceptsPodsWithoutRequests) {
  Bench bench;
  bench.add(node("n").cpu("1")).add(pod("greedy").requests("8", "64Gi").on("n"));
  EXPECT_EQ(bench.ask(kPlugin, pod("p"), "n").code, Code::Success);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").request("ephemeral-storage", "0"), "n").code, Code::Success);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").request("cpu", "1m"), "n").code, Code::Unschedulable);
}

TEST(NodeResourcesFit, TheNumberOfPodsIncludesTerminatingPods) {
  Bench bench;
  bench.add(node("n").pods(2)).add(pod("one").on("n"));
  EXPECT_EQ(bench.ask(kPlugin, pod("p"), "n").code, Code::Success);
  bench.add(pod("two").on("n").terminating());
  EXPECT_EQ(bench.ask(kPlugin, pod("p"), "n"), (Verdict{Code::Unschedulable, {"Too many pods"}, kPlugin}));
  EXPECT_EQ(bench.ask(kPlugin, pod("p").requests("8", "1Gi"), "n"),
            (Verdict{kNever, {"Too many pods", "Insufficient cpu"}, kPlugin}));
}

TEST(NodeResourcesFit, ANodeWithoutAnAllocatableNumberOfPodsAcceptsNoPod) {
  Bench bench;
  bench.add(node("n").without_resource("pods"));
  EXPECT_EQ(bench.ask(kPlugin, pod("p"), "n"), (Verdict{Code::Unschedulable, {"Too many pods"}, kPlugin}));
}

Profile profile_with(const NodeResourcesFitArgs& args) {
  Profile profile = standard_profile();
  profile.args[kPlugin] = args;
  return profile;
}

TEST(NodeResourcesFit, IgnoredExtendedResourcesAndResourceGroupsAreNotChecked) {
  NodeResourcesFitArgs args;
  args.ignored_resources = {"example.com/one", "cpu"};
  args.ignored_resource_groups = {"theirs.com"};
  Bench bench(profile_with(args));
  bench.add(node("n"));
  EXPECT_EQ(bench.ask(kPlugin, pod("p").request("example.com/one", "1"), "n").code, Code::Success);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").request("theirs.com/any", "1"), "n").code, Code::Success);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").request("example.com/two", "1"), "n").code, kNever);
  EXPECT_EQ(bench.ask(kPlugin, pod("p").request("cpu", "9"), "n").code, kNever);
}

TEST(NodeResourcesFit, PodsWithoutRequestsCountWithDefaultRequestsInScores) {
  Bench bench;
  bench.add(node("n").cpu("1").memory("2000Mi"));
  for (int i = 0; i < 3; ++i) bench.add(pod("there" + std::to_string(i)).on("n"));
  // Four pods of 100m and 200Mi: 60% of both are free.
  EXPECT_THAT(bench.raw(kPlugin, pod("p")), ElementsAre(Pair("n", 60)));
}

TEST(NodeResourcesFit, MostAllocatedScoresTheFullerNodeHigher) {
  NodeResourcesFitArgs args;
  args.strategy = ScoringStrategy::MostAllocated;
  args.resources = {{"cpu", 3}, {"memory", 1}};
  Bench bench(profile_with(args));
  bench.add(node("empty")).add(node("half")).add(pod("there").requests("2", "16Gi").on("half"));
  // CPU 25% and memory 50%, with weights 3 and 1; then 75% and 100%.
  EXPECT_THAT(bench.raw(kPlugin, pod("p").requests("1", "16Gi")), ElementsAre(Pair("empty", 31), Pair("half", 81)));
}

TEST(NodeResourcesFit, TheShapeMapsUtilizationToAScore) {
  NodeResourcesFitArgs args;
  args.strategy = ScoringStrategy::RequestedToCapacityRatio;
  args.shape = {{0, 0}, {50, 10}, {100, 2}};
  Bench bench(profile_with(args));
  bench.add(node("n"));
  // 25% is half way up to 100; 75% is half way down to 20.
  EXPECT_THAT(bench.raw(kPlugin, pod("p").requests("1", "24Gi")), ElementsAre(Pair("n", 55)));
  // A resource with score 0 has no weight either.
  EXPECT_THAT(bench.raw(kPlugin, pod("p").requests("0", "16Gi")), ElementsAre(Pair("n", 100)));
}

TEST(NodeResourcesFit, AnExtendedResourceThatThePodDoesNotRequestIsIgnoredInTheScore) {
  NodeResourcesFitArgs args;
  args.resources = {{"cpu", 1}, {"example.com/gpu", 1}};
  Bench bench(profile_with(args));
  bench.add(node("n").resource("example.com/gpu", "4"))
      .add(pod("there").request("cpu", "0").request("example.com/gpu", "3").on("n"));
  EXPECT_THAT(bench.raw(kPlugin, pod("p").request("cpu", "1")), ElementsAre(Pair("n", 75)));
  EXPECT_THAT(bench.raw(kPlugin, pod("p").request("cpu", "1").request("example.com/gpu", "1")),
              ElementsAre(Pair("n", 37)));
}

TEST(NodeResourcesFit, PodLevelRequestsCountInTheFilterAndNotInTheScoreOfTheIncomingPod) {
  Bench bench;
  bench.add(node("n"));
  const auto context = pod("p").pod_level({{"cpu", "2"}, {"memory", "16Gi"}});
  EXPECT_THAT(bench.raw(kPlugin, context), ElementsAre(Pair("n", 98)));  // 100m and 200Mi
  EXPECT_EQ(bench.ask(kPlugin, pod("p").pod_level({{"cpu", "5"}}), "n").code, kNever);
}

TEST(NodeResourcesFit, WakesAPodWhenANodeGainsResourcesThatThePodNeeds) {
  Bench bench;
  auto& model = bench.model();
  const auto waiting = pod("p").requests("3", "1Gi");
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n").cpu("2"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n").cpu("2").memory("64Gi"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n").cpu("4").memory("64Gi"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n").cpu("3").memory("64Gi"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("n").cpu("3").memory("64Gi").pods(200))),
            QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting,
                       model.upsert_node(node("n").cpu("3").memory("64Gi").pods(200).resource("example.com/gpu", "1"))),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_node(node("m"))), QueueingHint::Queue);
}

TEST(NodeResourcesFit, WakesAPodWhenAnotherPodIsRemovedOrRequestsLess) {
  Bench bench;
  auto& model = bench.model();
  bench.add(node("n")).add(pod("there").requests("3", "1Gi").on("n"));
  const auto waiting = pod("p").requests("3", "1Gi");
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(pod("there").requests("4", "1Gi").on("n"))),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(pod("there").requests("1", "1Gi").on("n"))),
            QueueingHint::Queue);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.upsert_pod(pod("more").on("n"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint(kPlugin, waiting, model.remove_pod("uid-there")), QueueingHint::Queue);
}

TEST(BalancedAllocation, ThreeResourcesAreScoredByTheirStandardDeviation) {
  NodeResourcesBalancedAllocationArgs args;
  args.resources = {{"cpu", 1}, {"memory", 1}, {"example.com/gpu", 1}};
  Profile profile = standard_profile();
  profile.args["NodeResourcesBalancedAllocation"] = args;
  Bench bench(profile);
  bench.add(node("n").resource("example.com/gpu", "4"));
  // The resource that the pod does not request is ignored. Fractions 1 and 0: 50, and 100 without the pod.
  EXPECT_THAT(bench.raw("NodeResourcesBalancedAllocation", pod("p").request("cpu", "4")), ElementsAre(Pair("n", 50)));
  EXPECT_THAT(
      bench.raw("NodeResourcesBalancedAllocation", pod("p").requests("2", "16Gi").request("example.com/gpu", "2")),
      ElementsAre(Pair("n", 75)));
  // Fractions 0, 0 and 1: a deviation of 0.4714, so 52, and 100 without the pod.
  EXPECT_THAT(bench.raw("NodeResourcesBalancedAllocation", pod("p").request("example.com/gpu", "4")),
              ElementsAre(Pair("n", 51)));
}

}  // namespace
}  // namespace rescheduler::placement::testing
