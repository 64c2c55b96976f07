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
