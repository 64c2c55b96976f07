#include "kube/informer/object_store.h"

#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::kube {
namespace {

using Outcome = ObjectStore::Outcome;

api::Pod pod(const std::string& name, const std::string& version, const std::string& node = {}) {
  api::Pod made;
  made.mutable_metadata()->set_namespace_("web");
  made.mutable_metadata()->set_name(name);
  made.mutable_metadata()->set_uid("uid-" + name);
  made.mutable_metadata()->set_resource_version(version);
  if (!node.empty()) made.mutable_spec()->set_node_name(node);
  return made;
}

std::vector<std::string> node_of(const Message& object) {
  const auto& node = static_cast<const api::Pod&>(object).spec().node_name();
  return node.empty() ? std::vector<std::string>{} : std::vector<std::string>{node};
}

class ObjectStoreTest : public testing::Test {
 protected:
  Outcome upsert(const api::Pod& object) { return store_.upsert(object, &before_); }
  std::string before_version() const {
    return before_ ? static_cast<const api::Pod&>(*before_).metadata().resource_version() : "none";
  }

  ObjectStore store_{resource_of<api::Pod>()};
  ObjectPtr before_;
};

TEST_F(ObjectStoreTest, BeforeReplacedReturnsTheOldObjectOnlyForAReplacement) {
  upsert(pod("a", "1"));
  before_.reset();
  EXPECT_EQ(store_.upsert(pod("a", "2"), &before_, ObjectStore::Before::Replaced), Outcome::Updated);
  EXPECT_EQ(before_, nullptr);
  api::Pod other = pod("a", "3");
  other.mutable_metadata()->set_uid("another");
  EXPECT_EQ(store_.upsert(other, &before_, ObjectStore::Before::Replaced), Outcome::Replaced);
  EXPECT_EQ(before_version(), "2");
}

TEST(ObjectStoreOfNames, KeepsOnlyMetadataAndReportsRemovedObjects) {
  ObjectStore store(resource_of<api::Pod>(), Keep::Names);
  store.upsert(pod("a", "1", "n"), nullptr);
  store.upsert(pod("b", "1", "n"), nullptr);
  EXPECT_EQ(store.upsert(pod("b", "1", "n"), nullptr), Outcome::Known);
  EXPECT_EQ(to_json(*store.find("web", "a")), to_json(pod("a", "1"))) << "the node name is not stored";
  store.begin_pass();
  store.upsert(pod("b", "1", "n"), nullptr);
  const auto gone = store.end_pass();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(static_cast<const api::Pod&>(*gone.front()).metadata().uid(), "uid-a");
}

TEST_F(ObjectStoreTest, UpsertReturnsWhetherAnObjectIsNewChangedOrKnown) {
  EXPECT_EQ(upsert(pod("a", "1")), Outcome::Added);
  EXPECT_EQ(before_, nullptr);
  EXPECT_EQ(upsert(pod("a", "1")), Outcome::Known) << "the same version is not a change";
  EXPECT_EQ(upsert(pod("a", "2")), Outcome::Updated);
  EXPECT_EQ(before_version(), "1");
  EXPECT_EQ(store_.upsert(pod("a", "3"), nullptr), Outcome::Updated);

  EXPECT_EQ(to_json(*store_.find("web", "a")), to_json(pod("a", "3")))
      << "the stored object must equal the last upsert";
  EXPECT_EQ(store_.find("other", "a"), nullptr);
  EXPECT_TRUE(store_.remove("web", "a"));
  EXPECT_FALSE(store_.remove("web", "a"));
}

TEST_F(ObjectStoreTest, AnObjectWithTheSameNameAndAnotherUidReplacesTheOldObject) {
  upsert(pod("a", "1"));
  auto recreated = pod("a", "9");
  recreated.mutable_metadata()->set_uid("another");
  EXPECT_EQ(upsert(recreated), Outcome::Replaced);
  EXPECT_EQ(before_version(), "1");
}

TEST_F(ObjectStoreTest, EndPassRemovesExactlyTheObjectsThatWereNotSeen) {
  for (const char* name : {"kept", "changed", "gone"}) upsert(pod(name, "1"));
  store_.begin_pass();
  EXPECT_EQ(upsert(pod("kept", "1")), Outcome::Known);
  EXPECT_EQ(upsert(pod("changed", "5")), Outcome::Updated);
  EXPECT_EQ(upsert(pod("new", "6")), Outcome::Added);
  const auto gone = store_.end_pass();
  ASSERT_EQ(gone.size(), 1U);
  EXPECT_EQ(static_cast<const api::Pod&>(*gone[0]).metadata().name(), "gone");
  EXPECT_EQ(store_.find("web", "gone"), nullptr);
  EXPECT_EQ(store_.size(), 3U);
}

TEST_F(ObjectStoreTest, AnUnfinishedPassRemovesNothing) {
  upsert(pod("a", "1"));
  upsert(pod("b", "1"));
  store_.begin_pass();
  upsert(pod("a", "1"));
  store_.begin_pass();
  upsert(pod("a", "1"));
  upsert(pod("b", "1"));
  EXPECT_TRUE(store_.end_pass().empty());
}

TEST_F(ObjectStoreTest, IndexesFollowEveryChange) {
  upsert(pod("early", "1", "n1"));
  store_.add_index("node", node_of);
  upsert(pod("a", "2"));
  EXPECT_EQ(store_.indexed("node", "n1").size(), 1U);

  upsert(pod("a", "3", "n1"));
  EXPECT_EQ(store_.indexed("node", "n1").size(), 2U);
  upsert(pod("a", "4", "n2"));
  EXPECT_EQ(store_.indexed("node", "n1").size(), 1U);
  ASSERT_EQ(store_.indexed("node", "n2").size(), 1U);
  EXPECT_EQ(to_json(*store_.indexed("node", "n2")[0]), to_json(pod("a", "4", "n2")));
  store_.remove("web", "a");
  EXPECT_TRUE(store_.indexed("node", "n2").empty());
  store_.begin_pass();
  (void)store_.end_pass();
  EXPECT_TRUE(store_.indexed("node", "n1").empty());
  EXPECT_TRUE(store_.indexed("no such index", "n1").empty());
}

TEST_F(ObjectStoreTest, AnIndexFunctionMayReturnAValueTwice) {
  store_.add_index("twice", [](const Message&) { return std::vector<std::string>{"x", "x"}; });
  upsert(pod("a", "1"));
  store_.remove("web", "a");
  EXPECT_TRUE(store_.indexed("twice", "x").empty());
}

}  // namespace
}  // namespace rescheduler::kube
