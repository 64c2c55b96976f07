// The cost of a decision, as the number of nodes filtered and scored. The tests fail if a cache has no effect.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/counting_plugins.h"
#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::NodeBuilder;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using cluster::testing::Texts;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr std::uint64_t kNodes = 60;

struct DecisionCost : ::testing::Test {
  DecisionCost() {
    for (std::uint64_t i = 0; i < kNodes; ++i) model.upsert_node(numbered(i));
  }
  static NodeBuilder numbered(std::uint64_t i) {
    return node("n" + std::to_string(i)).zone("z" + std::to_string(i % 3));
  }
  // Decides about the pod and returns the plugin calls.
  PluginCalls decide(const PodBuilder& built) {
    const api::Pod& object = built;
    pod_specs.push_back(model.compiled_spec_of(object));
    const PodContext context = make_pod_context(model, object, *pod_specs.back());
    framework->prepare(model, context);
    framework.take_calls();
    decision = placement::decide(*framework, context, nominated, {});
    return framework.take_calls();
  }
  // The same, then adds the pod to the chosen node.
  PluginCalls place(const PodBuilder& built) {
    PluginCalls calls = decide(built);
    EXPECT_EQ(decision.outcome, Outcome::Scheduled);
    model.assume(built, pod_specs.back(), decision.node);
    return calls;
  }
  static PodBuilder replica(int i) {
    return pod("web-" + std::to_string(i)).label("app", "web").requests("100m", "100Mi");
  }

  cluster::Cluster model;
  CountedFramework framework{standard_profile()};
  std::vector<cluster::CompiledPodSpecPtr> pod_specs;  // kept alive, as the queue keeps the specs of waiting pods
  NominatedPods nominated;
  Decision decision;
};

TEST_F(DecisionCost, ForTheFirstPodOfASignatureEachPluginFiltersAndScoresEveryNodeOnce) {
  const PluginCalls calls = decide(replica(0));
  EXPECT_EQ(calls.filters.at("NodeResourcesFit"), kNodes);
  EXPECT_EQ(calls.scores.at("NodeResourcesFit"), kNodes);
  EXPECT_THAT(calls.filters, Each(Pair(::testing::_, kNodes)));
  EXPECT_THAT(calls.scores, Each(Pair(::testing::_, kNodes)));
}

TEST_F(DecisionCost, AnEqualPodInAnUnchangedClusterNeedsNoPluginCalls) {
  decide(replica(0));
  const PluginCalls calls = decide(replica(1));
  EXPECT_THAT(calls.filters, IsEmpty());
  EXPECT_THAT(calls.scores, IsEmpty());
  EXPECT_EQ(decision.feasible.size(), kNodes);
}

TEST_F(DecisionCost, EachFurtherReplicaReevaluatesOnlyTheNodeOfThePreviousReplica) {
  place(replica(0));
  for (int i = 1; i < 30; ++i) {
    const PluginCalls calls = place(replica(i));
    EXPECT_EQ(calls.filters.at("NodeResourcesFit"), 1U) << "the node of the previous replica";
    EXPECT_THAT(calls.filters, Each(Pair(::testing::_, 1U)));
    EXPECT_THAT(calls.scores, Each(Pair(::testing::_, 1U)));
  }
}

TEST_F(DecisionCost, OnlyANodeThatIsAddedOrChangedOrWhosePodsChangedIsReevaluated) {
  decide(replica(0));
  model.upsert_node(numbered(7).taint("a", "", "PreferNoSchedule"));
  EXPECT_EQ(decide(replica(1)).filters.at("NodeResourcesFit"), 1U);
  model.upsert_node(numbered(kNodes));
  EXPECT_EQ(decide(replica(2)).filters.at("NodeResourcesFit"), 1U);
  model.upsert_pod(pod("other").requests("1", "1Gi").on("n3"));
  EXPECT_EQ(decide(replica(3)).filters.at("NodeResourcesFit"), 1U);
  model.remove_pod("uid-other");
  EXPECT_EQ(decide(replica(4)).filters.at("NodeResourcesFit"), 1U);
  model.remove_node("n5");
  EXPECT_THAT(decide(replica(5)).filters, IsEmpty());
}

TEST_F(DecisionCost, AlternatingSignaturesKeepTheirCachedNodeResults) {
  const auto other = [](int i) { return pod("db-" + std::to_string(i)).requests("200m", "1Gi"); };
  place(replica(0));
  place(other(0));
  for (int i = 1; i < 10; ++i) {
    EXPECT_LE(place(replica(i)).filters.at("NodeResourcesFit"), 2U);
    EXPECT_LE(place(other(i)).filters.at("NodeResourcesFit"), 2U);
  }
}

TEST_F(DecisionCost, OnlyPluginsThatDependOnOtherPodsFilterEveryNodeAgain) {
  const auto spread = [](int i) { return replica(i).spread({.labels = Texts{{"app", "web"}}}); };
  place(spread(0));
  const PluginCalls calls = place(spread(1));
  EXPECT_EQ(calls.filters.at("NodeResourcesFit"), 1U);
  EXPECT_EQ(calls.filters.at("PodTopologySpread"), kNodes);
  EXPECT_EQ(calls.all_filters() - calls.filters.at("PodTopologySpread"), place(spread(2)).all_filters() - kNodes);
}

TEST_F(DecisionCost, AFeasibleNominatedNodeIsTheOnlyNodeThatIsEvaluated) {
  const PluginCalls calls = decide(replica(0).nominated("n9"));
  EXPECT_THAT(calls.filters, Each(Pair(::testing::_, 1U)));
  EXPECT_THAT(calls.scores, IsEmpty()) << "there is only one node to choose";
}

TEST_F(DecisionCost, ANominatedPodAddsFilterCallsOnlyForItsNode) {
  decide(replica(0));
  const auto nominated_pod = pod("nominated").requests("1", "1Gi").priority(100);
  const auto index = *model.find_node("n4");
  nominated[index] = {std::make_shared<const cluster::AssignedPod>(
      model.hypothetical_pod(nominated_pod, model.compiled_spec_of(nominated_pod), index))};
  EXPECT_THAT(decide(replica(1)).filters, AllOf(::testing::Not(IsEmpty()), Each(Pair(::testing::_, 2U))))
      << "once with the nominated pod and once without";
}

TEST_F(DecisionCost, ASearchWithALimitOfFeasibleNodesStopsAtTheLimit) {
  const auto built = replica(0);
  pod_specs.push_back(model.compiled_spec_of(built));
  const PodContext context = make_pod_context(model, built, *pod_specs.back());
  framework->prepare(model, context);
  decision = placement::decide(*framework, context, nominated, {.most_feasible = 10});
  EXPECT_EQ(framework.take_calls().filters.at("NodeResourcesFit"), 10U);
  EXPECT_EQ(decision.evaluated, 10U);
}

TEST_F(DecisionCost, TheReasonsForAnUnschedulablePodCostOneMoreFilterCallForEachNode) {
  const auto huge = [](int i) { return pod("huge-" + std::to_string(i)).requests("100", "1Gi"); };
  EXPECT_EQ(decide(huge(0)).filters.at("NodeResourcesFit"), 2 * kNodes)
      << "once for the result and once for the reasons";
  EXPECT_EQ(decide(huge(1)).filters.at("NodeResourcesFit"), kNodes) << "the result is cached, the reasons are not";
}

}  // namespace
}  // namespace rescheduler::placement::testing
