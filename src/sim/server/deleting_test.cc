#include "sim/server/server_fixture.h"

namespace rescheduler::sim {
namespace {

using ServerDeleteTest = ServerFixture;

TEST_F(ServerDeleteTest, AnObjectWithoutFinalizersIsRemovedImmediately) {
  ASSERT_TRUE(server.create(map_of("a")));
  const auto removed = remove<api::ConfigMap>("a");
  ASSERT_TRUE(removed);
  EXPECT_TRUE(removed->gone);
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a"), nullptr);
  const auto again = remove<api::ConfigMap>("a");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, 404);
}

TEST_F(ServerDeleteTest, AnObjectWithAFinalizerStaysUntilTheFinalizerIsRemoved) {
  auto map = map_of("a");
  map.mutable_metadata()->add_finalizers("example.com/wait");
  ASSERT_TRUE(server.create(map));
  const auto removed = remove<api::ConfigMap>("a");
  ASSERT_TRUE(removed);
  EXPECT_FALSE(removed->gone);
  ASSERT_TRUE(server.find<api::ConfigMap>("web", "a")->metadata().has_deletion_timestamp());

  const auto more = server.modify<api::ConfigMap>(
      "web", "a", [](api::ConfigMap& m) { m.mutable_metadata()->add_finalizers("example.com/more"); });
  ASSERT_FALSE(more) << "an object under deletion accepts no new finalizers";
  EXPECT_EQ(more.error().code, 422);

  ASSERT_TRUE(
      server.modify<api::ConfigMap>("web", "a", [](api::ConfigMap& m) { m.mutable_metadata()->clear_finalizers(); }));
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a"), nullptr);
}

TEST_F(ServerDeleteTest, ForegroundDeletionAddsTheForegroundFinalizer) {
  ASSERT_TRUE(server.create(map_of("a")));
  api::DeleteOptions foreground;
  foreground.set_propagation_policy("Foreground");
  const auto removed = remove<api::ConfigMap>("a", foreground);
  ASSERT_TRUE(removed);
  EXPECT_FALSE(removed->gone);
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a")->metadata().finalizers(0), "foregroundDeletion");
}

TEST_F(ServerDeleteTest, ADeleteWithAWrongUidPreconditionIsAConflict) {
  const auto created = server.create(map_of("a"));
  ASSERT_TRUE(created);
  api::DeleteOptions options;
  options.mutable_preconditions()->set_uid("11111111-2222-4333-8444-555555555555");
  const auto refused = remove<api::ConfigMap>("a", options);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 409);
  options.mutable_preconditions()->set_uid((*created)->metadata().uid());
  EXPECT_TRUE(remove<api::ConfigMap>("a", options));
}

TEST_F(ServerDeleteTest, ABoundPodGetsAGracePeriodAndAPendingPodDoesNot) {
  ASSERT_TRUE(server.create(pod_of("bound", "node-1")));
  ASSERT_TRUE(server.create(pod_of("pending")));
  auto removed = remove<api::Pod>("bound");
  ASSERT_TRUE(removed) << removed.error().message;
  EXPECT_FALSE(removed->gone);
  const auto ending = server.find<api::Pod>("web", "bound");
  EXPECT_EQ(ending->metadata().deletion_grace_period_seconds(), 30);
  EXPECT_EQ(ending->metadata().deletion_timestamp().seconds(), 1'704'067'200 + 30);
  EXPECT_TRUE(remove<api::Pod>("pending")->gone);

  // A second, longer grace period changes nothing; a shorter one shortens it; zero deletes at once.
  api::DeleteOptions options;
  const std::uint64_t before = server.store().version();
  ASSERT_TRUE(remove<api::Pod>("bound"));
  EXPECT_EQ(server.store().version(), before);
  options.set_grace_period_seconds(5);
  ASSERT_TRUE(remove<api::Pod>("bound", options));
  EXPECT_EQ(server.find<api::Pod>("web", "bound")->metadata().deletion_grace_period_seconds(), 5);
  options.set_grace_period_seconds(0);
  EXPECT_TRUE(remove<api::Pod>("bound", options)->gone);
}

TEST_F(ServerDeleteTest, ATerminatingNamespaceRejectsNewObjects) {
  const Kind& namespaces = server.kinds().of<api::Namespace>();
  ASSERT_TRUE(server.remove(namespaces, "", "web", {}));
  const auto ending = server.find<api::Namespace>("", "web");
  ASSERT_TRUE(ending) << "the finalizer of the namespace keeps it";
  EXPECT_EQ(ending->status().phase(), "Terminating");
  const auto refused = server.create(map_of("late"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 403);
  EXPECT_EQ(refused.error().message,
            "configmaps \"late\" is forbidden: unable to create new content in namespace web because it is being "
            "terminated");
}

TEST_F(ServerDeleteTest, DeletingACollectionRemovesOnlyTheSelectedObjects) {
  for (const char* name : {"a", "b", "c"}) {
    auto map = map_of(name);
    (*map.mutable_metadata()->mutable_labels())["keep"] = name[0] == 'b' ? "yes" : "no";
    ASSERT_TRUE(server.create(map));
  }
  const auto removed = server.remove_collection(maps, {.ns = "web", .label_selector = "keep=no"}, {});
  ASSERT_TRUE(removed);
  EXPECT_EQ(removed->size(), 2U);
  EXPECT_EQ(server.store().count(maps), 1U);
}

}  // namespace
}  // namespace rescheduler::sim
