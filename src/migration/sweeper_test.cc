// Changes that belong to no active Migration are undone, and no others.
#include "migration/sweeper.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/codec/json.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "migration/keys.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::migration {
namespace {

using testing::Each;
using testing::SizeIs;
using testing::StartsWith;

class SweeperTest : public testing::Test {
 protected:
  // A copy of a bare pod that is not ready.
  api::Pod copy(const std::string& uid) {
    api::Pod pod;
    pod.mutable_metadata()->set_namespace_("web");
    pod.mutable_metadata()->set_name("rescheduled-p-1");
    pod.mutable_metadata()->set_uid(uid);
    (*pod.mutable_metadata()->mutable_labels())[std::string(kMigrationLabel)] = "m";
    (*pod.mutable_metadata()->mutable_annotations())[std::string(kCopyOf)] = "original";
    return pod;
  }
  api::PodDisruptionBudget budget(const std::string& uid) {
    api::PodDisruptionBudget made;
    made.mutable_metadata()->set_namespace_("web");
    made.mutable_metadata()->set_name("api-rescheduler-pdb");
    made.mutable_metadata()->set_uid(uid);
    (*made.mutable_metadata()->mutable_labels())[std::string(kMigrationLabel)] = "m";
    return made;
  }
  api::Migration record(const std::string& name, const std::string& uid) {
    MoveRequest request;
    request.ns = "web";
    request.pod = "p";
    api::Migration made = to_migration(request, name);
    made.mutable_metadata()->set_uid(uid);
    return made;
  }
  api::Migration finished(const std::string& name, const std::string& uid) {
    api::Migration made = record(name, uid);
    *made.mutable_status() = ended(made, MoveResult::Succeeded, "", time_.clock.wall_now());
    return made;
  }
  // Another client recreates the object after the list and before the deletion.
  void replace_before_deletion(std::function<void()> with) {
    api_.before_each([with = std::move(with)](const kube::ApiCall& call) -> std::optional<Error> {
      if (call.verb == kube::Verb::Delete) with();
      return std::nullopt;
    });
  }
  Swept sweep() {
    Sweeper sweeper(api_, settings_);
    const auto swept = time_.loop.await_result(sweeper.sweep());
    EXPECT_TRUE(swept) << swept.error().message;
    return swept.value_or(Swept{});
  }

  test::VirtualTime time_;
  test::ScriptedApi api_;
  MigrationSettings settings_;
};

TEST_F(SweeperTest, DeletesTheCopyAndTheBudgetOfAMigrationThatIsGone) {
  api_.put(copy("u1"));
  api_.put(budget("b1"));
  EXPECT_EQ(sweep().undone, 2U);
  EXPECT_THAT(api_.all<api::Pod>(), SizeIs(0));
  EXPECT_THAT(api_.all<api::PodDisruptionBudget>(), SizeIs(0));
}

TEST_F(SweeperTest, KeepsTheCopyAndTheBudgetOfAnActiveMigration) {
  api_.put(copy("u1"));
  api_.put(budget("b1"));
  api_.put(record("m", "m1"));
  EXPECT_EQ(sweep().undone, 0U);
  EXPECT_THAT(api_.all<api::Pod>(), SizeIs(1));
  EXPECT_THAT(api_.all<api::PodDisruptionBudget>(), SizeIs(1));
}

TEST_F(SweeperTest, KeepsACopyThatWasRecreatedUnderTheSameName) {
  api_.put(copy("u1"));
  replace_before_deletion([this] { api_.put(copy("another")); });
  EXPECT_TRUE(sweep().unfinished) << "the sweep is repeated soon";
  EXPECT_THAT(api_.all<api::Pod>(), SizeIs(1));
}

TEST_F(SweeperTest, KeepsABudgetThatWasRecreatedUnderTheSameName) {
  api_.put(budget("b1"));
  replace_before_deletion([this] { api_.put(budget("another")); });
  EXPECT_TRUE(sweep().unfinished);
  EXPECT_THAT(api_.all<api::PodDisruptionBudget>(), SizeIs(1));
}

TEST_F(SweeperTest, DeletesTheOldestFinishedMigrationsBeyondTheHistoryLimit) {
  settings_.history = 1;
  api_.put(finished("old", "m1"));
  time_.clock.advance(std::chrono::seconds{1});
  api_.put(finished("new", "m2"));
  api_.put(record("live", "m3"));
  EXPECT_EQ(sweep().forgotten, 1U);
  EXPECT_FALSE(api_.find<api::Migration>("web", "old"));
  EXPECT_TRUE(api_.find<api::Migration>("web", "new"));
  EXPECT_TRUE(api_.find<api::Migration>("web", "live"));
}

TEST_F(SweeperTest, KeepsAMigrationThatWasRecreatedUnderTheSameName) {
  settings_.history = 0;
  api_.put(finished("m", "m1"));
  replace_before_deletion([this] { api_.put(finished("m", "another")); });
  EXPECT_TRUE(sweep().unfinished);
  EXPECT_TRUE(api_.find<api::Migration>("web", "m"));
}

// One list request per kind; the sweep runs every five minutes, regardless of the cluster size.
TEST_F(SweeperTest, ListsEachKindOnceAndWritesNothingIfNothingIsLeft) {
  sweep();
  std::vector<std::string> sent;
  for (const auto& call : api_.calls()) sent.push_back(call.text);
  EXPECT_THAT(sent, SizeIs(7));
  EXPECT_THAT(sent, Each(StartsWith("list ")));
}

}  // namespace
}  // namespace rescheduler::migration
