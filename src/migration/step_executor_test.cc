// A step changes only the object that was observed, and needs only the expected requests.
#include "migration/step_executor.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/core_pod.pb.h"
#include "kube/proto/policy.pb.h"
#include "support/scripted_api.h"
#include "support/virtual_time.h"

namespace rescheduler::migration {
namespace {

class StepExecutorTest : public testing::Test {
 protected:
  StepExecutorTest() {
    MoveRequest request;
    request.ns = "web";
    request.pod = "api-1";
    request.uid = "u1";
    migration_ = to_migration(request, "m");
    migration_.mutable_status()->set_budget("ours");
  }
  void put_pod(const std::string& uid) {
    api::Pod pod;
    pod.mutable_metadata()->set_namespace_("web");
    pod.mutable_metadata()->set_name("api-1");
    pod.mutable_metadata()->set_uid(uid);
    api_.put(pod);
  }
  void put_budget(const std::string& uid) {
    api::PodDisruptionBudget budget;
    budget.mutable_metadata()->set_namespace_("web");
    budget.mutable_metadata()->set_name("ours");
    budget.mutable_metadata()->set_uid(uid);
    api_.put(budget);
  }
  bool has_pod() const { return api_.find<api::Pod>("web", "api-1").has_value(); }
  bool has_budget() const { return api_.find<api::PodDisruptionBudget>("web", "ours").has_value(); }
  // Runs the step on the pod or budget with this UID. Nullopt: it succeeded.
  std::optional<Errc> act(StepType what, const std::string& uid) {
    Step step;
    step.what = what;
    step.pod.name = "api-1";
    step.pod.uid = uid;
    ObservedState observed;
    observed.budgets.own_uid = uid;
    StepExecutor step_executor(api_, settings_);
    const auto done = time_.loop.await_result(step_executor.perform(migration_, observed, step));
    return done ? std::nullopt : std::optional(done.error().code);
  }

  test::VirtualTime time_;
  test::ScriptedApi api_;
  MigrationSettings settings_;
  api::Migration migration_;
};

TEST_F(StepExecutorTest, EvictsAndDeletesThePodWithTheObservedUid) {
  for (const StepType what : {StepType::Evict, StepType::DeletePod}) {
    put_pod("u1");
    EXPECT_EQ(act(what, "u1"), std::nullopt) << to_string(what);
    EXPECT_FALSE(has_pod()) << to_string(what);
  }
}

// A StatefulSet recreates a pod under the same name, perhaps between the observation and the eviction.
TEST_F(StepExecutorTest, NeitherEvictsNorDeletesAnotherPodOfTheSameName) {
  put_pod("another");
  for (const StepType what : {StepType::Preflight, StepType::Evict, StepType::DeletePod}) {
    EXPECT_EQ(act(what, "u1"), Errc::Conflict) << to_string(what);
    EXPECT_TRUE(has_pod()) << to_string(what);
  }
}

TEST_F(StepExecutorTest, NeitherMarksNorUnmarksNorReleasesAnotherPodOfTheSameName) {
  put_pod("another");
  for (const StepType what : {StepType::MarkPod, StepType::ReleaseCopy})
    EXPECT_EQ(act(what, "u1"), Errc::Conflict) << to_string(what);
  EXPECT_EQ(act(StepType::UnmarkPod, "u1"), std::nullopt) << "nothing is left to unmark";
  for (const auto& call : api_.calls()) EXPECT_EQ(call.patch, "") << call.text;
}

TEST_F(StepExecutorTest, DeletesOnlyThePodDisruptionBudgetWithTheObservedUid) {
  put_budget("theirs");
  EXPECT_EQ(act(StepType::DeleteBudget, "ours"), Errc::Conflict);
  EXPECT_TRUE(has_budget());
  EXPECT_EQ(act(StepType::DeleteBudget, "theirs"), std::nullopt);
  EXPECT_FALSE(has_budget());
}

TEST_F(StepExecutorTest, APreflightDoesNotEvictThePod) {
  put_pod("u1");
  EXPECT_EQ(act(StepType::Preflight, "u1"), std::nullopt);
  EXPECT_TRUE(has_pod());
}

TEST_F(StepExecutorTest, AStepSendsOneRequestOrTwoIfItReadsThePodFirstAndAWaitSendsNone) {
  const auto requests = [&](StepType what) {
    put_pod("u1");
    put_budget("u1");
    const std::size_t before = api_.calls().size();
    EXPECT_EQ(act(what, "u1"), std::nullopt) << to_string(what);
    return api_.calls().size() - before;
  };
  for (const StepType what : {StepType::Preflight, StepType::Evict, StepType::DeletePod, StepType::DeleteBudget,
                              StepType::Nominate, StepType::UnmarkCopy}) {
    EXPECT_EQ(requests(what), 1U) << to_string(what);
  }
  for (const StepType what : {StepType::MarkPod, StepType::UnmarkPod, StepType::ReleaseCopy})
    EXPECT_EQ(requests(what), 2U) << to_string(what);
  for (const StepType what : {StepType::Wait, StepType::Ended}) EXPECT_EQ(requests(what), 0U) << to_string(what);
}

}  // namespace
}  // namespace rescheduler::migration
