#include "rescheduler/recovery/roster.h"

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

TEST(Roster, TellsWhichControllerOfAPodItHasNotSeen) {
  auto pod = named<api::Pod>("web-1-x");
  auto set = named<api::ReplicaSet>("web-1");
  control(*pod.mutable_metadata(), "ReplicaSet", "web-1");
  control(*set.mutable_metadata(), "Deployment", "web");

  Roster roster;
  auto unseen = roster.unseen_controller(pod);
  ASSERT_TRUE(unseen);
  EXPECT_EQ(unseen->kind, OwnerKind::ReplicaSet);
  EXPECT_EQ(unseen->ns, "ns");
  EXPECT_EQ(unseen->name, "web-1");

  roster.seen(set);
  unseen = roster.unseen_controller(pod);
  ASSERT_TRUE(unseen);
  EXPECT_EQ(unseen->kind, OwnerKind::Deployment);
  EXPECT_EQ(unseen->name, "web");

  roster.seen(named<api::Deployment>("web"));
  EXPECT_FALSE(roster.unseen_controller(pod));
  ASSERT_TRUE(roster.owner_of(pod));
  EXPECT_EQ(roster.owner_of(pod)->name, "web");
}

TEST(Roster, AsksForNoControllerOfAKindItDoesNotHandle) {
  auto pod = named<api::Pod>("p");
  EXPECT_FALSE(Roster().unseen_controller(pod));
  control(*pod.mutable_metadata(), "Rollout", "theirs");
  EXPECT_FALSE(Roster().unseen_controller(pod));
}

TEST(Roster, TwoThatControlEachOtherAreNoCircle) {
  auto pod = named<api::Pod>("p");
  auto one = named<api::ReplicaSet>("one");
  auto other = named<api::ReplicaSet>("other");
  control(*pod.mutable_metadata(), "ReplicaSet", "one");
  control(*one.mutable_metadata(), "ReplicaSet", "other");
  control(*other.mutable_metadata(), "ReplicaSet", "one");
  Roster roster;
  roster.seen(one);
  roster.seen(other);
  EXPECT_FALSE(roster.unseen_controller(pod));
  EXPECT_EQ(roster.owner_of(pod)->name, "other");
}

}  // namespace
}  // namespace rescheduler::rescheduling::recovery
