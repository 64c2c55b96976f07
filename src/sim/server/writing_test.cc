#include "sim/server/server_fixture.h"

namespace rescheduler::sim {
namespace {

using ServerWriteTest = ServerFixture;

TEST_F(ServerWriteTest, ACreatedObjectHasTheMetadataOfTheServer) {
  const auto created = server.create(map_of("a", "1"));
  ASSERT_TRUE(created) << created.error().message;
  const auto& metadata = (*created)->metadata();
  EXPECT_EQ(metadata.uid().size(), 36U);
  EXPECT_EQ(metadata.uid()[14], '4');
  EXPECT_FALSE(metadata.resource_version().empty());
  EXPECT_EQ(metadata.creation_timestamp().seconds(), 1'704'067'200);
  EXPECT_FALSE(metadata.has_generation()) << "ConfigMaps have no generation";
}

TEST_F(ServerWriteTest, CreateRejectsADuplicateNameAndAMissingNamespace) {
  ASSERT_TRUE(server.create(map_of("a")));
  const auto twice = server.create(map_of("a"));
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().code, 409);
  EXPECT_EQ(twice.error().reason, "AlreadyExists");
  EXPECT_EQ(twice.error().message, "configmaps \"a\" already exists");

  auto elsewhere = map_of("a");
  elsewhere.mutable_metadata()->set_namespace_("nowhere");
  const auto nowhere = server.create(elsewhere);
  ASSERT_FALSE(nowhere);
  EXPECT_EQ(nowhere.error().message, "namespaces \"nowhere\" not found");
}

TEST_F(ServerWriteTest, AGeneratedNameIsThePrefixAndFiveCharacters) {
  auto map = map_of("");
  map.mutable_metadata()->set_generate_name("job-");
  const auto first = server.create(map);
  const auto second = server.create(map);
  ASSERT_TRUE(first && second);
  EXPECT_EQ((*first)->metadata().name().size(), 9U);
  EXPECT_TRUE((*first)->metadata().name().starts_with("job-"));
  EXPECT_NE((*first)->metadata().name(), (*second)->metadata().name());
}

TEST_F(ServerWriteTest, AnInvalidNameAndAnInvalidLabelAreOneCauseEach) {
  auto map = map_of("Not_A_Name");
  (*map.mutable_metadata()->mutable_labels())["a"] = "no blanks";
  const auto refused = server.create(map);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 422);
  ASSERT_EQ(refused.error().causes.size(), 2U);
  EXPECT_EQ(refused.error().causes[0].field, "metadata.name");
  EXPECT_EQ(refused.error().causes[1].field, "metadata.labels");
  EXPECT_TRUE(refused.error().message.starts_with("ConfigMap \"Not_A_Name\" is invalid: [metadata.name: Invalid value"))
      << refused.error().message;
}

TEST_F(ServerWriteTest, AStaleUpdateConflictsAndAnUnconditionalUpdateDoesNot) {
  const auto first = server.create(map_of("a", "1"));
  ASSERT_TRUE(first);
  auto changed = **first;
  (*changed.mutable_data())["v"] = "2";
  ASSERT_TRUE(update(changed));
  const auto stale = update(changed);
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, 409);
  EXPECT_EQ(
      stale.error().message,
      "Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please apply your changes "
      "to the latest version and try again");
  EXPECT_TRUE(update(map_of("a", "3")));
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a")->metadata().uid(), (*first)->metadata().uid());
}

TEST_F(ServerWriteTest, AnUpdateWithoutChangesCreatesNoNewVersion) {
  const auto first = server.create(map_of("a", "1"));
  ASSERT_TRUE(first);
  const std::uint64_t before = server.store().version();
  const auto same = update(**first);
  ASSERT_TRUE(same);
  EXPECT_EQ(server.store().version(), before);
}

TEST_F(ServerWriteTest, ModifyChangesAndStoresTheObject) {
  ASSERT_TRUE(server.create(map_of("a", "1")));
  const auto changed =
      server.modify<api::ConfigMap>("web", "a", [](api::ConfigMap& map) { (*map.mutable_data())["v"] = "2"; });
  ASSERT_TRUE(changed) << changed.error().message;
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a")->data().at("v"), "2");
}

TEST_F(ServerWriteTest, ADryRunSucceedsAndStoresNothing) {
  WriteContext dry;
  dry.dry_run = true;
  const std::uint64_t before = server.store().version();
  ASSERT_TRUE(server.create(map_of("a"), dry));
  EXPECT_EQ(server.store().version(), before);
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a"), nullptr);
}

TEST_F(ServerWriteTest, AnUpdateWithAnotherUidIsAConflict) {
  const auto first = server.create(map_of("a", "1"));
  ASSERT_TRUE(first);
  auto other = **first;
  other.mutable_metadata()->set_uid("11111111-2222-4333-8444-555555555555");
  const auto refused = update(other);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 409);
}

// An admission that answers later, like a webhook.
class DeferredAdmission final : public Admission {
 public:
  bool concerns(const PendingWrite& pending_write) override { return pending_write.kind->kind == "ConfigMap"; }
  void review(PendingWrite pending_write, Done done) override {
    waiting = [pending_write = std::make_shared<PendingWrite>(std::move(pending_write)), done = std::move(done)] {
      (*static_cast<api::ConfigMap&>(*pending_write->object).mutable_data())["v"] = "admitted";
      done(std::move(*pending_write));
    };
  }
  std::function<void()> waiting;
};

TEST_F(ServerWriteTest, AnObjectIsStoredOnlyAfterItsAdmission) {
  DeferredAdmission admission;
  server.set_admission(&admission);
  std::optional<ApiResult<VersionPtr>> answer;
  server.submit_create(maps, "web", std::make_unique<api::ConfigMap>(map_of("a")), {},
                       [&](ApiResult<VersionPtr> given) { answer = std::move(given); });
  EXPECT_FALSE(answer);
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a"), nullptr);
  admission.waiting();
  ASSERT_TRUE(answer && *answer);
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a")->data().at("v"), "admitted");
}

}  // namespace
}  // namespace rescheduler::sim
