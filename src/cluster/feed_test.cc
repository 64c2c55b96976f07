#include "cluster/feed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cluster/testing.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"

namespace rescheduler::cluster {
namespace {

using testing::node;
using testing::pod;

TEST(Feed, UpsertAddsObjectsToTheModelAndRemoveRemovesThem) {
  Cluster cluster;
  EXPECT_NE(apply(node("n").get(), FeedAction::Upsert, cluster), nullptr) << "a new node may help a waiting pod";
  apply(pod("p").on("n").get(), FeedAction::Upsert, cluster);
  EXPECT_EQ(cluster.pod_count(), 1U);
  EXPECT_NE(apply(pod("p").on("n").get(), FeedAction::Remove, cluster), nullptr) << "a removed pod frees resources";
  EXPECT_EQ(cluster.pod_count(), 0U);
  apply(node("n").get(), FeedAction::Remove, cluster);
  EXPECT_EQ(cluster.node_count(), 0U);

  api::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_name("b");
  EXPECT_EQ(apply(budget, FeedAction::Upsert, cluster), nullptr);
  EXPECT_EQ(cluster.budgets().all().size(), 1U);
  apply(budget, FeedAction::Remove, cluster);
  EXPECT_EQ(cluster.budgets().all().size(), 0U);
}

TEST(Feed, FinishedPodsAreRemovedAndWaitingPodsAreNotAdded) {
  Cluster cluster;
  apply(node("n").get(), FeedAction::Upsert, cluster);
  apply(pod("waits").get(), FeedAction::Upsert, cluster);
  EXPECT_EQ(cluster.pod_count(), 0U);
  api::Pod runs = pod("p").on("n");
  apply(runs, FeedAction::Upsert, cluster);
  runs.mutable_status()->set_phase("Failed");
  apply(runs, FeedAction::Upsert, cluster);
  EXPECT_EQ(cluster.pod_count(), 0U);
}

TEST(Feed, APodWithoutUidIsIdentifiedByItsName) {
  Cluster cluster;
  api::Pod without_uid = pod("p").on("n");
  without_uid.mutable_metadata()->clear_uid();
  apply(without_uid, FeedAction::Upsert, cluster);
  EXPECT_TRUE(cluster.find_pod("default/p"));
  apply(without_uid, FeedAction::Remove, cluster);
  EXPECT_EQ(cluster.pod_count(), 0U);
}

TEST(Feed, EmptyObjectsOfEveryKindAreAccepted) {
  for (const kube::ResourceType* kind : model_kinds()) {
    Cluster cluster;
    apply(*kind->make(), FeedAction::Upsert, cluster);
    apply(*kind->make(), FeedAction::Remove, cluster);
  }
  EXPECT_EQ(model_kinds().size(), 15U);
}

TEST(Feed, ObjectsOfOtherKindsReturnNoEvent) {
  Cluster cluster;
  EXPECT_EQ(apply(api::Deployment(), FeedAction::Upsert, cluster), nullptr);
  EXPECT_EQ(apply(api::Deployment(), FeedAction::Remove, cluster), nullptr);
}

}  // namespace
}  // namespace rescheduler::cluster
