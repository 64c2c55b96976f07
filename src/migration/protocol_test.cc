// The protocol alone: an observed state and the resulting step.
#include "migration/protocol.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "migration/intent.h"
#include "migration/patches.h"
#include "migration/step_errors.h"

namespace rescheduler::migration {
namespace {

using testing::HasSubstr;
using namespace std::chrono_literals;

class Protocol : public testing::Test {
 protected:
  Protocol() {
    MoveRequest request;
    request.ns = "web";
    request.pod = "api-1";
    request.uid = "u1";
    request.source = "a";
    request.target = "b";
    migration_ = to_migration(request, "m");
    migration_.mutable_metadata()->mutable_creation_timestamp()->set_seconds(1'700'000'000);
    seen_.now = WallTime{1'700'000'010s};
    seen_.source = pod("api-1", "u1", "a");
    seen_.workload.emplace();
    seen_.workload->kind = "Deployment";
    seen_.workload->name = "api";
    seen_.workload->uid = "w";
    seen_.workload->selector = "app=api";
    seen_.workload->desired = 2;
    seen_.pods = {*seen_.source, pod("api-2", "u2", "a")};
  }
  static ObservedPod pod(const std::string& name, const std::string& uid, const std::string& node) {
    ObservedPod made;
    made.name = name;
    made.uid = uid;
    made.node = node;
    made.owner_kind = "ReplicaSet";
    made.owner = "rs";
    made.created = WallTime{1'700'000'000s};
    made.ready = true;
    return made;
  }
  Step step() { return next(migration_, seen_, settings_); }
  // Applies the status that the step writes, as the server would.
  std::string write() {
    const Step one = step();
    EXPECT_EQ(one.what, StepType::Write) << to_string(one.what);
    *migration_.mutable_status() = one.status;
    return migration_.status().phase();
  }
  void prepare() { EXPECT_EQ(write(), "Preparing"); }

  api::Migration migration_;
  ObservedState seen_;
  MigrationSettings settings_;
};

TEST_F(Protocol, EachPhaseIsWrittenToTheRecordBeforeItsSteps) {
  EXPECT_EQ(write(), "Preparing");
  EXPECT_EQ(step().what, StepType::MarkWorkload);
  seen_.workload->mark = "m";
  EXPECT_EQ(step().what, StepType::Preflight);
  seen_.preflight_passed = true;
  EXPECT_EQ(write(), "Evicting");
  EXPECT_EQ(step().what, StepType::Evict);
}

TEST_F(Protocol, WithoutCoordinationNothingIsWrittenToTheWorkload) {
  settings_.coordination = false;
  seen_.workload->desired = 1;
  const ModeChoice choice = choose_mode(migration_, seen_, settings_);
  EXPECT_EQ(choice.mode, MoveMode::Coordinated);
  EXPECT_THAT(choice.why, HasSubstr("migration.coordination is false"));
  migration_.mutable_spec()->set_mode("MakeBeforeBreak");
  EXPECT_THAT(choose_mode(migration_, seen_, settings_).refused, HasSubstr("migration.coordination is false"));
  migration_.mutable_spec()->clear_mode();
  prepare();
  EXPECT_EQ(step().what, StepType::Preflight);
  seen_.preflight_passed = true;
  EXPECT_EQ(write(), "Evicting");
  EXPECT_TRUE(wanted_by(migration_, settings_)) << "the scheduler and the webhook still steer the replacement";
}

TEST_F(Protocol, AReadyPodIsNotEvictedWhileAnotherReplicaIsNotReady) {
  prepare();
  seen_.workload->mark = "m";
  seen_.preflight_passed = true;
  seen_.pods[1].ready = false;
  EXPECT_EQ(step().what, StepType::Wait);
  seen_.source->ready = false;  // without this pod the workload has no fewer ready replicas
  EXPECT_EQ(write(), "Evicting");
}

TEST_F(Protocol, MaxUnavailablePercentSetsHowManyReplicasMayBeUnavailable) {
  seen_.workload->desired = 20;
  seen_.pods.assign(19, *seen_.source);
  EXPECT_THAT(budget_problem(seen_, settings_), HasSubstr("1 of 20"));
  settings_.max_unavailable_percent = 10;
  EXPECT_EQ(budget_problem(seen_, settings_), "");
}

TEST_F(Protocol, TheReplacementIsANewPodPreferablyOnTheTarget) {
  prepare();
  note_known(*migration_.mutable_status(), seen_);
  migration_.mutable_status()->set_phase("Replacing");
  seen_.source.reset();
  seen_.pods.erase(seen_.pods.begin());
  EXPECT_EQ(replacement_in(migration_, seen_), nullptr);
  seen_.pods.push_back(pod("api-3", "u3", "c"));
  seen_.pods.push_back(pod("api-4", "u4", "b"));
  ASSERT_NE(replacement_in(migration_, seen_), nullptr);
  EXPECT_EQ(replacement_in(migration_, seen_)->name, "api-4") << "a new pod on the target is preferred";
}

TEST_F(Protocol, OnlyAReplacementOnTheSourceNodeIsAFailedMove) {
  prepare();
  note_known(*migration_.mutable_status(), seen_);
  migration_.mutable_status()->set_phase("Replacing");
  seen_.source.reset();
  seen_.pods = {pod("api-3", "u3", "a")};
  EXPECT_EQ(write(), "Replacing") << "the replacement is recorded";
  const api::Migration found = migration_;
  EXPECT_EQ(write(), "CleaningUp");
  EXPECT_EQ(result_of(migration_), MoveResult::Failed);
  EXPECT_EQ(migration_.status().landed(), "a");
  EXPECT_EQ(migration_.status().message(), "api-3 is ready, but on the source node a again");
  for (const auto& [node, result] : {std::pair{"b", MoveResult::Succeeded}, std::pair{"c", MoveResult::Elsewhere}}) {
    migration_ = found;
    seen_.pods.front().node = node;
    EXPECT_EQ(write(), "CleaningUp");
    EXPECT_EQ(result_of(migration_), result) << node;
  }
}

TEST_F(Protocol, TheSourceOfARequestThatDoesNotNameItIsTheNodeOfThePod) {
  migration_.mutable_spec()->clear_source();
  prepare();
  EXPECT_EQ(source_of(migration_), "a");
  EXPECT_EQ(result_on(migration_, "a"), MoveResult::Failed);
  EXPECT_EQ(result_on(migration_, "c"), MoveResult::Elsewhere);
}

TEST_F(Protocol, TheOldPodStaysIfTheNewReplicaIsOnTheSourceNode) {
  seen_.workload->desired = 1;
  seen_.pods = {*seen_.source};
  prepare();
  ASSERT_EQ(write(), "Surging");
  seen_.source->mark = "m";
  seen_.workload->mark = "m";
  seen_.workload->surged_from = 1;
  seen_.workload->surged_to = 2;
  seen_.workload->desired = 2;
  seen_.pods.push_back(pod("api-3", "u3", "a"));
  seen_.pods.back().created += 20s;
  ASSERT_EQ(write(), "Surging");
  ASSERT_EQ(write(), "Surging");
  EXPECT_EQ(migration_.status().replacement(), "api-3");
  EXPECT_EQ(write(), "CleaningUp");
  EXPECT_EQ(result_of(migration_), MoveResult::Failed);
  EXPECT_EQ(step().what, StepType::UnmarkPod);
}

TEST_F(Protocol, OfABarePodAndItsCopyOnTheSourceNodeOneStays) {
  settings_.direct = true;
  seen_.source->owner.clear();
  seen_.workload.reset();
  const api::Migration begun = migration_;
  for (const bool deleted_first : {false, true}) {
    migration_ = begun;
    seen_.source = pod("api-1", "u1", "a");
    seen_.source->owner.clear();
    if (deleted_first) seen_.source->no_second_copy = "it uses host ports";
    seen_.copy.reset();
    prepare();
    ASSERT_EQ(write(), deleted_first ? "Retiring" : "Creating");
    if (deleted_first) {
      seen_.source.reset();
      ASSERT_EQ(write(), "Creating");
    }
    seen_.copy = pod("rescheduled-api-1-1", "u9", "a");
    ASSERT_EQ(write(), "Creating") << "the copy is recorded";
    EXPECT_EQ(write(), "CleaningUp");
    EXPECT_EQ(result_of(migration_), MoveResult::Failed);
    if (deleted_first) {
      EXPECT_EQ(write(), "Failed") << "the copy is all that is left of the pod";
    } else {
      EXPECT_EQ(step().what, StepType::DeletePod);
      EXPECT_EQ(step().pod.name, "rescheduled-api-1-1");
    }
  }
}

TEST_F(Protocol, ASingleReplicaMovesMakeBeforeBreakUnlessASecondReplicaIsUnsafe) {
  seen_.workload->desired = 1;
  EXPECT_EQ(choose_mode(migration_, seen_, settings_).mode, MoveMode::MakeBeforeBreak);
  seen_.workload->autoscaled = true;
  EXPECT_EQ(choose_mode(migration_, seen_, settings_).mode, MoveMode::Coordinated);
  EXPECT_THAT(choose_mode(migration_, seen_, settings_).why, HasSubstr("autoscaler"));
  seen_.workload->autoscaled = false;
  seen_.source->no_second_copy = "its volume data may allow one pod only";
  migration_.mutable_spec()->set_mode("MakeBeforeBreak");
  EXPECT_THAT(choose_mode(migration_, seen_, settings_).refused, HasSubstr("its volume data"));
  seen_.workload->kind = "StatefulSet";
  EXPECT_THAT(choose_mode(migration_, seen_, settings_).refused, HasSubstr("identities"));
}

// A new autoscaler would undo the surge, or keep it as its own value.
TEST_F(Protocol, AMakeBeforeBreakMoveIsRefusedOnceAnAutoscalerSetsTheReplicas) {
  seen_.workload->desired = 1;
  prepare();
  ASSERT_EQ(migration_.status().mode(), "MakeBeforeBreak");
  seen_.workload->autoscaled = true;
  EXPECT_EQ(write(), "CleaningUp");
  EXPECT_THAT(migration_.status().message(), HasSubstr("autoscaler"));
  EXPECT_EQ(result_of(migration_), MoveResult::Refused);
}

// A user may scale the workload down to the pod that is moved.
TEST_F(Protocol, APodThatBecomesTheOnlyReplicaIsNotEvicted) {
  prepare();
  ASSERT_EQ(migration_.status().mode(), "Coordinated");
  seen_.workload->mark = "m";
  seen_.preflight_passed = true;
  const api::Migration prepared = migration_;
  ASSERT_EQ(write(), "Evicting");
  const api::Migration evicting = migration_;
  seen_.workload->desired = 1;
  seen_.pods.pop_back();
  for (const api::Migration& begun : {prepared, evicting}) {
    migration_ = begun;
    EXPECT_EQ(write(), "CleaningUp") << begun.status().phase();
    EXPECT_THAT(migration_.status().message(), HasSubstr("now move in mode MakeBeforeBreak: a single replica"));
    EXPECT_EQ(result_of(migration_), MoveResult::Refused);
  }
}

TEST_F(Protocol, AMoveToATargetWithAProblemIsRefused) {
  seen_.target_problem = "node b is cordoned";
  EXPECT_EQ(write(), "Refused");
  EXPECT_EQ(migration_.status().message(), "node b is cordoned");
}

TEST_F(Protocol, InEveryModeATargetThatBecomesUnusableEndsTheMoveBeforeThePodIsChanged) {
  settings_.direct = true;
  const api::Migration begun = migration_;
  for (const MoveMode mode : {MoveMode::Coordinated, MoveMode::MakeBeforeBreak, MoveMode::Direct}) {
    migration_ = begun;
    migration_.mutable_spec()->set_mode(std::string(to_string(mode)));
    seen_.source->owner = mode == MoveMode::Direct ? "" : "rs";
    seen_.target_problem.clear();
    prepare();
    ASSERT_EQ(migration_.status().mode(), to_string(mode));
    seen_.target_problem = "node b is not ready";
    EXPECT_EQ(write(), "CleaningUp") << to_string(mode);
    EXPECT_EQ(migration_.status().message(), "node b is not ready");
    EXPECT_EQ(result_of(migration_), MoveResult::Refused);
  }
}

TEST_F(Protocol, AMoveOfAProtectedPodIsRefusedWithTheReason) {
  seen_.source->protected_because = "static pods are not moved";
  EXPECT_EQ(write(), "Refused");
  EXPECT_EQ(migration_.status().message(), "static pods are not moved");
}

TEST_F(Protocol, OnlyADrainMovesACriticalPod) {
  seen_.source->critical = true;
  EXPECT_EQ(write(), "Refused");
  EXPECT_EQ(migration_.status().message(), "the pod is system-critical");
}

TEST_F(Protocol, ADrainMovesCriticalPodsAndBarePodsBecauseItsPolicyAllowedThem) {
  migration_.mutable_spec()->set_strategy("NodeMaintenance");
  seen_.source->critical = true;
  seen_.source->owner = "";
  settings_.direct = false;
  prepare();
  EXPECT_EQ(migration_.status().mode(), "Direct");
}

TEST_F(Protocol, AMoveOfAPodOfAProtectedWorkloadIsRefusedWithTheReason) {
  seen_.workload->protected_because = "its workload has opted out of moves";
  EXPECT_EQ(write(), "Refused");
  EXPECT_EQ(migration_.status().message(), "its workload has opted out of moves");
}

TEST_F(Protocol, ASecondMoveOfTheSamePodIsRefused) {
  seen_.moved_by = "web/other";
  EXPECT_EQ(write(), "Refused");
  EXPECT_THAT(migration_.status().message(), HasSubstr("web/other"));
}

TEST_F(Protocol, AMoveWaitsForAnEarlierMoveOfTheWorkloadUntilItsDeadline) {
  seen_.ahead = "web/other";
  EXPECT_EQ(step().what, StepType::Wait);
  seen_.now = deadline_of(migration_);
  EXPECT_EQ(write(), "Refused");
  EXPECT_THAT(migration_.status().message(), HasSubstr("the deadline passed while the move was queued: web/other"));
}

TEST_F(Protocol, AllConditionsAreCheckedAgainBeforeTheEviction) {
  prepare();
  seen_.workload->mark = "m";
  seen_.preflight_passed = true;
  ASSERT_EQ(write(), "Evicting");
  seen_.workload->settled = false;
  EXPECT_EQ(step().what, StepType::Wait) << "a rollout has begun";
  seen_.workload->settled = true;
  seen_.pods[1].ready = false;
  EXPECT_EQ(step().what, StepType::Wait) << "another replica is not ready";
  seen_.pods[1].ready = true;
  seen_.budgets.matching = 2;
  EXPECT_EQ(step().what, StepType::Write) << "Kubernetes does not evict a pod that two PodDisruptionBudgets match";
  seen_.budgets.matching = 1;
  EXPECT_EQ(step().what, StepType::Evict);
  seen_.now = deadline_of(migration_);
  EXPECT_EQ(write(), "CleaningUp");
  EXPECT_EQ(result_of(migration_), MoveResult::Refused);
}

TEST_F(Protocol, ATemporaryBudgetIsCreatedIfNoneMatchesAndDeletedWhenAnotherMatches) {
  settings_.protect_unprotected = true;
  prepare();
  seen_.workload->mark = "m";
  seen_.budgets.matching = 1;
  EXPECT_EQ(step().what, StepType::Preflight) << "another PodDisruptionBudget protects the pod";
  seen_.budgets.matching = 0;
  EXPECT_EQ(write(), "Preparing");
  EXPECT_EQ(migration_.status().budget(), "api-rescheduler-pdb");
  EXPECT_EQ(step().what, StepType::CreateBudget);
  seen_.budgets.own = true;
  EXPECT_EQ(step().what, StepType::Wait) << "the disruption controller has not processed it yet";
  seen_.budgets.own_counts = true;
  EXPECT_EQ(step().what, StepType::Preflight);
  seen_.budgets.matching = 1;
  EXPECT_EQ(step().what, StepType::DeleteBudget) << "two PodDisruptionBudgets would block every eviction";
}

TEST_F(Protocol, AMoveOfAPodThatAnotherMoveHasMarkedIsRefused) {
  seen_.source->mark = "other";
  EXPECT_EQ(write(), "Refused");
}

TEST_F(Protocol, TheMarkOfAnotherMoveOnTheWorkloadIsNeverOverwritten) {
  seen_.workload->mark = "other";
  EXPECT_EQ(step().what, StepType::Wait);
  seen_.workload->mark.clear();
  prepare();
  seen_.workload->mark = "other";
  EXPECT_EQ(step().what, StepType::Wait);
  migration_.mutable_status()->set_mode("MakeBeforeBreak");
  EXPECT_EQ(write(), "Surging");
  seen_.source->mark = "m";
  EXPECT_EQ(step().what, StepType::Wait);
  seen_.workload->mark.clear();
  EXPECT_EQ(step().what, StepType::MarkWorkload);
}

TEST_F(Protocol, OnePatchRemovesTheMarkAndRestoresTheReplicasUnlessTheyWereChanged) {
  ObservedWorkload workload = *seen_.workload;
  workload.version = "7";
  EXPECT_THAT(mark_workload_patch(migration_, workload, 3, "a"), HasSubstr(R"("replicas":3)"));
  workload.mark = "m";
  workload.surged_from = 2;
  workload.surged_to = 3;
  workload.desired = 3;
  EXPECT_THAT(unmark_workload_patch(workload), HasSubstr(R"("replicas":2)"));
  workload.desired = 5;  // set by another client
  EXPECT_EQ(unmark_workload_patch(workload).find("replicas"), std::string::npos);
  EXPECT_THAT(unmark_workload_patch(workload), HasSubstr(R"("resourceVersion":"7")"));
}

TEST_F(Protocol, TheIntentNamesTheSourceAsTheNodeToAvoidUnlessThatIsDisabled) {
  prepare();
  EXPECT_EQ(step().what, StepType::MarkWorkload);
  EXPECT_EQ(step().node, "a");
  EXPECT_THAT(mark_workload_patch(migration_, *seen_.workload, -1, step().node), HasSubstr(R"(\"avoid\":\"a\")"));
  seen_.workload->mark = "m";
  seen_.preflight_passed = true;
  ASSERT_EQ(write(), "Evicting");
  ASSERT_TRUE(wanted_by(migration_, settings_));
  EXPECT_EQ(wanted_by(migration_, settings_)->target, "b");
  EXPECT_EQ(wanted_by(migration_, settings_)->avoid, "a");
  settings_.avoid_source = false;
  EXPECT_EQ(wanted_by(migration_, settings_)->avoid, "");
}

TEST_F(Protocol, AWrittenIntentIsReadBackUnchanged) {
  WrittenIntent intent{"m", "p", "a", "b", "a", "2026-01-01T00:00:00Z", 3, 2};
  const auto read = parse_intent(to_text(intent));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->migration, "m");
  EXPECT_EQ(read->target, "b");
  EXPECT_EQ(read->avoid, "a");
  EXPECT_EQ(read->surged_to, 3);
  EXPECT_EQ(read->surged_from, 2);
  EXPECT_FALSE(parse_intent("not JSON"));
  EXPECT_FALSE(parse_intent(""));
}

TEST(CopyName, ACopyOfACopyHasTheNameOfTheOriginalPodAndANewTime) {
  const WallTime now{1'700'000'123s};
  EXPECT_EQ(copy_name("p", now), "rescheduled-p-1700000123");
  EXPECT_EQ(copy_name("rescheduled-p-1699999999", now), "rescheduled-p-1700000123");
  EXPECT_EQ(copy_name("rescheduled-p-1700000123", now), "rescheduled-p-1700000124");
  EXPECT_LE(copy_name(std::string(253, 'x'), now).size(), 253U);
}

TEST(StepRefusal, EachApiErrorIsNoRefusalATemporaryRefusalOrAPermanentRefusal) {
  const auto error = [](Errc code, int status, std::string message) {
    Error made{code, std::move(message)};
    made.http_status = status;
    return made;
  };
  EXPECT_FALSE(refusal_in(StepType::Evict, error(Errc::Conflict, 409, "")));
  EXPECT_FALSE(refusal_in(StepType::Evict, error(Errc::NotFound, 404, "")));
  EXPECT_FALSE(refusal_in(StepType::Evict, error(Errc::Unavailable, 500, "etcd is away")));
  EXPECT_FALSE(refusal_in(StepType::Evict, error(Errc::Throttled, 429, "budget"))->for_good);
  const auto several = refusal_in(
      StepType::Evict, error(Errc::Unavailable, 500, "This pod has more than one PodDisruptionBudget, which ..."));
  ASSERT_TRUE(several);
  EXPECT_TRUE(several->for_good);
  const auto denied =
      refusal_in(StepType::Evict, error(Errc::Denied, 403, R"(cannot create resource "pods/eviction")"));
  EXPECT_TRUE(denied->for_good);
  EXPECT_THAT(denied->message, HasSubstr("pods/eviction"));
  EXPECT_FALSE(refusal_in(StepType::Nominate, error(Errc::Denied, 403, ""))->for_good) << "a nomination is only a hint";
}

}  // namespace
}  // namespace rescheduler::migration
