#include "rescheduling/recovery/pod_owners.h"

#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::rescheduling::recovery {
namespace {

void control(api::ObjectMeta& meta, const std::string& kind, const std::string& name) {
  api::OwnerReference& ref = *meta.add_owner_references();
  ref.set_kind(kind);
  ref.set_name(name);
  ref.set_controller(true);
}

template <class Object>
Object named(const std::string& name) {
  Object made;
  made.mutable_metadata()->set_namespace_("ns");
  made.mutable_metadata()->set_name(name);
  return made;
}

TEST(PodOwners, ReturnsTheControllerOfAPodThatItHasNotSeen) {
  auto pod = named<api::Pod>("web-1-x");
  auto set = named<api::ReplicaSet>("web-1");
  control(*pod.mutable_metadata(), "ReplicaSet", "web-1");
  control(*set.mutable_metadata(), "Deployment", "web");

  PodOwners pod_owners;
  auto unseen = pod_owners.unseen_controller(pod);
  ASSERT_TRUE(unseen);
  EXPECT_EQ(unseen->kind, OwnerKind::ReplicaSet);
  EXPECT_EQ(unseen->ns, "ns");
  EXPECT_EQ(unseen->name, "web-1");

  pod_owners.upsert(set);
  unseen = pod_owners.unseen_controller(pod);
  ASSERT_TRUE(unseen);
  EXPECT_EQ(unseen->kind, OwnerKind::Deployment);
  EXPECT_EQ(unseen->name, "web");

  pod_owners.upsert(named<api::Deployment>("web"));
  EXPECT_FALSE(pod_owners.unseen_controller(pod));
  ASSERT_TRUE(pod_owners.owner_of(pod));
  EXPECT_EQ(pod_owners.owner_of(pod)->name, "web");
}

TEST(PodOwners, ReturnsNoControllerOfAKindThatItDoesNotHandle) {
  auto pod = named<api::Pod>("p");
  EXPECT_FALSE(PodOwners().unseen_controller(pod));
  control(*pod.mutable_metadata(), "Rollout", "theirs");
  EXPECT_FALSE(PodOwners().unseen_controller(pod));
}

api::Pod placed(const std::string& name, const std::string& kind, const std::string& controller) {
  auto pod = named<api::Pod>(name);
  pod.mutable_metadata()->set_uid(name);
  pod.mutable_metadata()->mutable_creation_timestamp()->set_seconds(7);
  control(*pod.mutable_metadata(), kind, controller);
  pod.mutable_spec()->set_node_name("node-of-" + name);
  return pod;
}

TEST(PodOwners, PodsOfOneTemplateAreOneRelease) {
  PodOwners pod_owners;
  for (const char* name : {"web-1", "web-2"}) {
    auto set = named<api::ReplicaSet>(name);
    control(*set.mutable_metadata(), "Deployment", "web");
    pod_owners.upsert(set);
  }
  pod_owners.upsert_pod(placed("a", "ReplicaSet", "web-1"));
  pod_owners.upsert_pod(placed("b", "ReplicaSet", "web-1"));
  pod_owners.upsert_pod(placed("c", "ReplicaSet", "web-2"));
  auto waiting = placed("d", "ReplicaSet", "web-2");
  waiting.mutable_spec()->clear_node_name();
  pod_owners.upsert_pod(waiting);
  EXPECT_EQ(pod_owners.release_of("a"), pod_owners.release_of("b"));
  EXPECT_NE(pod_owners.release_of("a"), pod_owners.release_of("c"));
  const auto pods = pod_owners.placed_pods("Deployment/ns/web");
  ASSERT_EQ(pods.size(), 3U) << "a pod without a node is not placed";
  EXPECT_EQ(pods[2].uid, "c");
  EXPECT_EQ(pods[2].node, "node-of-c");
  EXPECT_EQ(pods[2].release, pod_owners.release_of("c"));
  EXPECT_EQ(pods[2].created, WallTime{std::chrono::seconds{7}});
  for (const char* revision : {"r1", "r2"}) {
    auto pod = placed(revision, "DaemonSet", "agent");
    (*pod.mutable_metadata()->mutable_labels())["controller-revision-hash"] = revision;
    pod_owners.upsert_pod(pod);
  }
  EXPECT_NE(pod_owners.release_of("r1"), pod_owners.release_of("r2"));
}

TEST(PodOwners, ReturnsTheLivePodsOfANode) {
  PodOwners pod_owners;
  pod_owners.upsert_pod(placed("a", "ReplicaSet", "web-1"));
  auto over = placed("b", "ReplicaSet", "web-1");
  over.mutable_spec()->set_node_name("node-of-a");
  over.mutable_status()->set_phase("Failed");
  pod_owners.upsert_pod(over);
  ASSERT_EQ(pod_owners.pods_on("node-of-a").size(), 1U);
  EXPECT_EQ(pod_owners.pods_on("node-of-a")[0].uid, "a");
  pod_owners.remove_pod("a");
  EXPECT_TRUE(pod_owners.pods_on("node-of-a").empty());
}

TEST(PodOwners, TwoControllersThatControlEachOtherCauseNoEndlessLoop) {
  auto pod = named<api::Pod>("p");
  auto one = named<api::ReplicaSet>("one");
  auto other = named<api::ReplicaSet>("other");
  control(*pod.mutable_metadata(), "ReplicaSet", "one");
  control(*one.mutable_metadata(), "ReplicaSet", "other");
  control(*other.mutable_metadata(), "ReplicaSet", "one");
  PodOwners pod_owners;
  pod_owners.upsert(one);
  pod_owners.upsert(other);
  EXPECT_FALSE(pod_owners.unseen_controller(pod));
  EXPECT_EQ(pod_owners.owner_of(pod)->name, "other");
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
