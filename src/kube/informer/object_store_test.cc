#include "kube/informer/object_store.h"

#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"

namespace rescheduler::kube {
namespace {

std::shared_ptr<api::Pod> pod(const std::string& name, const std::string& version, const std::string& node = {}) {
  auto made = std::make_shared<api::Pod>();
  made->mutable_metadata()->set_namespace_("web");
  made->mutable_metadata()->set_name(name);
  made->mutable_metadata()->set_uid("uid-" + name);
  made->mutable_metadata()->set_resource_version(version);
  if (!node.empty()) made->mutable_spec()->set_node_name(node);
  return made;
}

std::vector<std::string> node_of(const Message& object) {
  const auto& node = static_cast<const api::Pod&>(object).spec().node_name();
  return node.empty() ? std::vector<std::string>{} : std::vector<std::string>{node};
}

TEST(ObjectStore, SaysWhetherAnObjectIsNewChangedOrKnown) {
  ObjectStore store;
  const auto first = pod("a", "1");
  const auto added = store.upsert(first);
  ASSERT_EQ(added.size(), 1U);
  EXPECT_EQ(added[0].before, nullptr);
  EXPECT_EQ(added[0].after, first);

  EXPECT_TRUE(store.upsert(pod("a", "1")).empty()) << "the same version is no news";

  const auto second = pod("a", "2");
  const auto updated = store.upsert(second);
  ASSERT_EQ(updated.size(), 1U);
  EXPECT_EQ(updated[0].before, first);
  EXPECT_EQ(updated[0].after, second);
  EXPECT_EQ(store.find("web", "a"), second);
  EXPECT_EQ(store.find("other", "a"), nullptr);
}

TEST(ObjectStore, AnObjectMadeAnewUnderItsNameIsRemovedAndAdded) {
  ObjectStore store;
  store.upsert(pod("a", "1"));
  auto reborn = pod("a", "9");
  reborn->mutable_metadata()->set_uid("another");
  const auto changes = store.upsert(reborn);
  ASSERT_EQ(changes.size(), 2U);
  EXPECT_EQ(changes[0].after, nullptr);
  EXPECT_EQ(changes[1].before, nullptr);
  EXPECT_EQ(changes[1].after, reborn);
}

TEST(ObjectStore, ReplaceTellsOnlyTheDifferences) {
  ObjectStore store;
  const auto kept = pod("kept", "1");
  store.upsert(kept);
  store.upsert(pod("changed", "2"));
  store.upsert(pod("gone", "3"));

  const auto changes = store.replace({pod("kept", "1"), pod("changed", "5"), pod("new", "6")});

  ASSERT_EQ(changes.size(), 3U);
  EXPECT_EQ(changes[0].after, nullptr) << "removals come first";
  EXPECT_EQ(store.find("web", "kept"), kept) << "an unchanged object stays the one handlers know";
  EXPECT_EQ(store.find("web", "gone"), nullptr);
  EXPECT_EQ(store.size(), 3U);
}

TEST(ObjectStore, IndexesFollowEveryChange) {
  ObjectStore store;
  store.upsert(pod("early", "1", "n1"));
  store.add_index("node", node_of);
  store.upsert(pod("a", "2"));
  EXPECT_EQ(store.indexed("node", "n1").size(), 1U);

  store.upsert(pod("a", "3", "n1"));
  EXPECT_EQ(store.indexed("node", "n1").size(), 2U);
  store.upsert(pod("a", "4", "n2"));
  EXPECT_EQ(store.indexed("node", "n1").size(), 1U);
  EXPECT_EQ(store.indexed("node", "n2").size(), 1U);
  store.remove("web", "a");
  EXPECT_TRUE(store.indexed("node", "n2").empty());
  store.replace({});
  EXPECT_TRUE(store.indexed("node", "n1").empty());
  EXPECT_TRUE(store.indexed("no such index", "n1").empty());
}

}  // namespace
}  // namespace rescheduler::kube
