// Pods of the model: the resources that they use on a node, and the events of their changes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/cluster.h"
#include "cluster/testing.h"

namespace rescheduler::cluster::testing {
namespace {

struct ClusterPods : ::testing::Test {
  ClusterPods() {
    cluster.upsert_node(node("n"));
    cluster.upsert_node(node("m"));
  }
  const NodeInfo& state(const std::string& name) { return cluster.node(cluster.find_node(name).value()); }
  const AssignedPod& placed(const std::string& name) { return cluster.pod(cluster.find_pod("uid-" + name).value()); }
  PodIndex assume(const PodBuilder& asked, const std::string& on) {
    return cluster.assume(asked, cluster.compiled_spec_of(asked), cluster.find_node(on).value());
  }
  Cluster cluster;
};

TEST_F(ClusterPods, AnAddedPodUsesResourcesOfItsNodeAndARemovedPodReleasesThem) {
  const auto asked = pod("p").requests("1", "1Gi").request("example.com/gpu", "2").host_port(80).on("n");
  const auto added = cluster.upsert_pod(asked);
  EXPECT_EQ(added->label, "AssignedPodAdd");
  EXPECT_EQ(added->pod_after->name, "p");
  EXPECT_EQ(state("n").requested.cpu, 1000);
  EXPECT_EQ(state("n").requested.other(cluster.interner().symbols.intern("example.com/gpu")), 2);
  EXPECT_EQ(state("n").ports.size(), 1U);
  EXPECT_EQ(state("n").pod_count(), 1U);
  const auto gone = cluster.remove_pod("uid-p");
  EXPECT_EQ(gone->label, "AssignedPodDelete");
  EXPECT_EQ(gone->pod_before->name, "p");
  EXPECT_EQ(state("n").requested.cpu, 0);
  EXPECT_EQ(state("n").nonzero_memory, 0);
  EXPECT_TRUE(state("n").ports.empty());
  EXPECT_EQ(cluster.pod_count(), 0U);
  EXPECT_EQ(cluster.remove_pod("uid-p"), nullptr);
}

TEST_F(ClusterPods, AHostPortStaysInUseWhenOneOfItsTwoPodsIsRemoved) {
  cluster.upsert_pod(pod("p").host_port(80).on("n"));
  cluster.upsert_pod(pod("q").host_port(80).on("n"));
  cluster.remove_pod("uid-p");
  EXPECT_EQ(state("n").ports.size(), 1U);
}

TEST_F(ClusterPods, TheEventOfAPodUpdateNamesTheKindOfChange) {
  cluster.upsert_pod(pod("p").requests("1", "1Gi").on("n"));
  EXPECT_EQ(cluster.upsert_pod(pod("p").requests("1", "1Gi").on("n")), nullptr);
  const auto label = cluster.upsert_pod(pod("p").requests("1", "1Gi").label("a", "b").on("n"));
  EXPECT_TRUE(label->actions.has(ActionType::PodLabel));
  EXPECT_EQ(label->label, "AssignedPodUpdate");
  EXPECT_EQ(label->pod_before->labels, LabelSetId::None);
  const auto up = cluster.upsert_pod(pod("p").requests("2", "1Gi").label("a", "b").on("n"));
  EXPECT_TRUE(up->actions.has(ActionType::PodScaleUp));
  EXPECT_FALSE(up->actions.has(ActionType::PodScaleDown));
  const auto both = cluster.upsert_pod(pod("p").requests("1", "2Gi").label("a", "b").on("n"));
  EXPECT_TRUE(both->actions.has(ActionType::PodScaleUp));
  EXPECT_TRUE(both->actions.has(ActionType::PodScaleDown));
  EXPECT_FALSE(both->actions.has(ActionType::PodLabel));
  EXPECT_EQ(state("n").requested.cpu, 1000);
  // A terminating pod still uses its resources: no event.
  EXPECT_EQ(cluster.upsert_pod(pod("p").requests("1", "2Gi").label("a", "b").on("n").terminating()), nullptr);
  EXPECT_TRUE(placed("p").terminating);
  EXPECT_FALSE(placed("p").being_preempted);
}

TEST_F(ClusterPods, APodRecordsItsPreemptionAndItsStartTime) {
  cluster.upsert_pod(pod("p").being_preempted().on("n"));
  EXPECT_TRUE(placed("p").being_preempted);
  cluster.upsert_pod(pod("q").started(7).on("n"));
  EXPECT_EQ(placed("q").started, WallTime{std::chrono::seconds(7)});
}

TEST_F(ClusterPods, AnInPlaceResizeUsesTheLargerRequestsUntilTheResizeIsDone) {
  const auto status = [](const char* cpu) {
    return std::string(R"({"status":{"containerStatuses":[{"name":"main","allocatedResources":{"cpu":")") + cpu
           + R"("}}]}})";
  };
  cluster.upsert_pod(pod("p").request("cpu", "2").on("n"));
  EXPECT_EQ(cluster.upsert_pod(pod("p").request("cpu", "1").merge(status("2")).on("n")), nullptr);
  EXPECT_EQ(state("n").requested.cpu, 2000);
  const auto done = cluster.upsert_pod(pod("p").request("cpu", "1").merge(status("1")).on("n"));
  EXPECT_TRUE(done->actions.has(ActionType::PodScaleDown));
  EXPECT_EQ(state("n").requested.cpu, 1000);
}

// --- Assumptions ---

TEST_F(ClusterPods, AnAssumedPodCountsImmediatelyAndItsConfirmationDoesNotCountItAgain) {
  const auto asked = pod("p").requests("1", "1Gi").host_port(80);
  assume(asked, "n");
  EXPECT_EQ(cluster.assumed_count(), 1U);
  EXPECT_EQ(state("n").requested.cpu, 1000);
  const auto generation = state("n").generation;
  const auto event = cluster.upsert_pod(PodBuilder(asked).on("n"));
  EXPECT_EQ(event->label, "AssignedPodAdd");
  EXPECT_EQ(event->pod_before, nullptr);
  EXPECT_EQ(cluster.assumed_count(), 0U);
  EXPECT_EQ(cluster.pod_count(), 1U);
  EXPECT_EQ(state("n").requested.cpu, 1000);
  EXPECT_EQ(state("n").ports.size(), 1U);
  EXPECT_EQ(state("n").generation, generation);  // cached results stay valid
}

TEST_F(ClusterPods, AConfirmationOnAnotherNodeMovesTheAssumedPod) {
  assume(pod("p").requests("1", "1Gi"), "n");
  const auto event = cluster.upsert_pod(pod("p").requests("1", "1Gi").started(3).on("m"));
  EXPECT_EQ(event->label, "AssignedPodAdd");
  EXPECT_EQ(state("n").requested.cpu, 0);
  EXPECT_EQ(state("m").requested.cpu, 1000);
  EXPECT_EQ(cluster.assumed_count(), 0U);
}

TEST_F(ClusterPods, ForgetRemovesAnAssumedPodAndKeepsAConfirmedPod) {
  assume(pod("p").requests("1", "1Gi"), "n");
  const auto event = cluster.forget("uid-p");
  EXPECT_EQ(event->label, "AssignedPodDelete");
  EXPECT_EQ(state("n").requested.cpu, 0);
  EXPECT_EQ(cluster.assumed_count(), 0U);
  EXPECT_EQ(cluster.forget("uid-p"), nullptr);
  cluster.upsert_pod(pod("p").on("n"));
  EXPECT_EQ(cluster.forget("uid-p"), nullptr);
  EXPECT_EQ(cluster.pod_count(), 1U);
}

TEST_F(ClusterPods, AnAssumedPodCanBeRemovedBeforeItIsConfirmed) {
  assume(pod("p"), "n");
  EXPECT_NE(cluster.remove_pod("uid-p"), nullptr);
  EXPECT_EQ(cluster.assumed_count(), 0U);
  EXPECT_EQ(cluster.pod_count(), 0U);
}

TEST_F(ClusterPods, TwoPodsOfTheSameNameAreDistinguishedByUid) {
  cluster.upsert_pod(pod("p").uid("first").on("n"));
  cluster.upsert_pod(pod("p").uid("second").on("n"));
  EXPECT_EQ(cluster.pod_count(), 2U);
  cluster.remove_pod("first");
  EXPECT_TRUE(cluster.find_pod("second"));
}

TEST_F(ClusterPods, AnUnassignedPodCountsOnNoNodeUntilItIsAssignedAgain) {
  const auto web = pod("p").requests("1", "1Gi").host_port(80).label("app", "web").on("n");
  cluster.upsert_pod(web);
  const PodIndex index = cluster.find_pod("uid-p").value();
  const auto generation = state("n").generation;
  cluster.unassign(index);
  EXPECT_EQ(state("n").requested.cpu, 0);
  EXPECT_TRUE(state("n").ports.empty());
  EXPECT_GT(state("n").generation, generation);
  EXPECT_EQ(cluster.pod(index).node, kNoNode);
  PodMatch all_pods;  // counted for the first time while the pod is unassigned
  all_pods.all_of.push_back({cluster.namespaces().of({{cluster.pod(index).ns}}),
                             cluster.interner().selectors.intern(kube::LabelSelector::everything())});
  cluster.prepare(all_pods);
  EXPECT_TRUE(cluster.counts().matching(all_pods)->empty());
  cluster.assign(index, cluster.find_node("m").value());
  EXPECT_EQ(state("m").requested.cpu, 1000);
  EXPECT_EQ(cluster.counts().matching(all_pods)->at(cluster.find_node("m").value()), 1);
  EXPECT_EQ(cluster.find_pod("uid-p").value(), index);
}

using ClusterDeathTest = ClusterPods;
TEST_F(ClusterDeathTest, AssumingAPodThatIsAlreadyInTheModelAborts) {
  cluster.upsert_pod(pod("p").on("n"));
  EXPECT_DEATH(assume(pod("p"), "n"), "pod default/p is assumed twice");
}

TEST(ClusterCopy, SharesPagesWithTheOriginalUntilAPodChanges) {
  Cluster original;
  for (int i = 0; i < 100; ++i) original.upsert_node(node("n" + std::to_string(i)));
  for (int i = 0; i < 1000; ++i) {
    original.upsert_pod(pod("p" + std::to_string(i)).on("n" + std::to_string(i % 100)));
  }
  const Cluster copy(original);
  EXPECT_EQ(copy.pods().pages_shared_with(original.pods()), original.pods().pages());
  EXPECT_EQ(copy.nodes().pages_shared_with(original.nodes()), original.nodes().pages());
  // A status update that changes nothing for placement copies no page.
  original.upsert_pod(pod("p7").on("n7"));
  EXPECT_EQ(copy.pods().pages_shared_with(original.pods()), original.pods().pages());
  EXPECT_EQ(copy.nodes().pages_shared_with(original.nodes()), original.nodes().pages());
  original.remove_pod("uid-p7");
  EXPECT_EQ(copy.pods().pages_shared_with(original.pods()), original.pods().pages() - 1);
  EXPECT_EQ(copy.nodes().pages_shared_with(original.nodes()), original.nodes().pages() - 1);
  EXPECT_TRUE(copy.find_pod("uid-p7").has_value());
  EXPECT_FALSE(original.find_pod("uid-p7").has_value());
}

}  // namespace
}  // namespace rescheduler::cluster::testing
