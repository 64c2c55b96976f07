#include "kube/proto/apps.pb.h"
#include "sim/server/server_fixture.h"

namespace rescheduler::sim {
namespace {

using kube::PatchKind;

class ServerPatchTest : public ServerFixture {
 protected:
  ApiResult<VersionPtr> patch(PatchKind kind, std::string_view text, WriteContext context = {}) {
    return server.patch(maps, "web", "a", "", {kind, text}, std::move(context));
  }
  std::string value(const std::string& key) {
    const auto map = server.find<api::ConfigMap>("web", "a");
    return map->data().contains(key) ? map->data().at(key) : "-";
  }
  static WriteContext as(const std::string& manager, bool force = false) {
    WriteContext context;
    context.manager = manager;
    context.force = force;
    return context;
  }
};

TEST_F(ServerPatchTest, EachPatchKindChangesTheObject) {
  ASSERT_TRUE(server.create(map_of("a", "1")));
  ASSERT_TRUE(patch(PatchKind::Merge, R"({"data":{"m":"2"}})"));
  ASSERT_TRUE(patch(PatchKind::Json, R"([{"op":"remove","path":"/data/v"}])"));
  ASSERT_TRUE(patch(PatchKind::StrategicMerge, R"({"metadata":{"labels":{"s":"3"}}})"));
  EXPECT_EQ(value("m"), "2");
  EXPECT_EQ(value("v"), "-");
  EXPECT_EQ(server.find<api::ConfigMap>("web", "a")->metadata().labels().at("s"), "3");
}

TEST_F(ServerPatchTest, AResourceVersionInAPatchIsAPrecondition) {
  const auto created = server.create(map_of("a", "1"));
  ASSERT_TRUE(created);
  const std::string version = (*created)->metadata().resource_version();
  const std::string text = R"({"metadata":{"resourceVersion":")" + version + R"("},"data":{"v":"2"}})";
  ASSERT_TRUE(patch(PatchKind::Merge, text));
  const auto stale = patch(PatchKind::Merge, text);
  ASSERT_FALSE(stale);
  EXPECT_EQ(stale.error().code, 409);
}

TEST_F(ServerPatchTest, AMissingObjectCannotBePatchedButCanBeApplied) {
  EXPECT_EQ(patch(PatchKind::Merge, "{}").error().code, 404);
  constexpr auto config = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}})";
  const auto applied = patch(PatchKind::Apply, config, as("me"));
  ASSERT_TRUE(applied) << applied.error().message;
  EXPECT_EQ(value("x"), "1");
  EXPECT_NE((*applied)->managed_fields().find("\"f:x\""), std::string::npos) << (*applied)->managed_fields();
}

TEST_F(ServerPatchTest, ApplyConflictsWithAnotherOwnerUnlessForced) {
  constexpr auto one = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}})";
  constexpr auto two = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"2"}})";
  ASSERT_TRUE(patch(PatchKind::Apply, one, as("first")));
  const auto refused = patch(PatchKind::Apply, two, as("second"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, 409);
  EXPECT_EQ(refused.error().message, "Apply failed with 1 conflict: conflict with \"first\": .data.x");
  ASSERT_TRUE(patch(PatchKind::Apply, two, as("second", true)));
  EXPECT_EQ(value("x"), "2");
}

TEST_F(ServerPatchTest, AnUpdateTakesOverTheAppliedFieldsThatItChanges) {
  constexpr auto config = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}})";
  ASSERT_TRUE(patch(PatchKind::Apply, config, as("applier")));
  ASSERT_TRUE(patch(PatchKind::Merge, R"({"data":{"x":"9"}})", as("editor")));
  const auto refused = patch(PatchKind::Apply, config, as("applier"));
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("editor"), std::string::npos) << refused.error().message;
}

TEST_F(ServerPatchTest, ApplyingTheSameConfigurationAgainWritesNothing) {
  constexpr auto config = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}})";
  ASSERT_TRUE(patch(PatchKind::Apply, config, as("me")));
  const std::uint64_t before = server.store().version();
  agenda.run_for(std::chrono::minutes{1});
  ASSERT_TRUE(patch(PatchKind::Apply, config, as("me")));
  EXPECT_EQ(server.store().version(), before);
}

}  // namespace
}  // namespace rescheduler::sim
