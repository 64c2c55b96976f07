// Each kind of breach, committed on purpose, is reported; a history that comes close to it is not.
#include "chaos/history_checker.h"

#include <functional>
#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chaos/fabricated_history.h"
#include "chaos/lease_checking_api.h"
#include "kube/proto/core.pb.h"

namespace rescheduler::test {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

struct Provocation {
  std::function<void(FabricatedHistory&)> lawful;  // comes close to the breach
  std::function<void(FabricatedHistory&)> breach;  // one step more
};

void write_as(FabricatedHistory& made, const std::shared_ptr<kube::LeaderFence>& lease, const std::string& name) {
  LeaseCheckingApi lease_api(made.api(), lease, made.agenda(), made.checker());
  kube::Client client(lease_api);
  api::Namespace object;
  object.mutable_metadata()->set_name(name);
  EXPECT_TRUE(made.loop().await_result(client.create(std::move(object))));
}

// One history for each kind of breach.
const std::map<BreachKind, Provocation>& provocations() {
  using Made = FabricatedHistory;
  static const std::map<BreachKind, Provocation> all{
      {BreachKind::NodeOverflow,
       {[](Made& made) {
          for (int i = 0; i < 10; ++i) made.pod(fmt::format("p{}", i), fmt::format("a{}", i));
        },
        [](Made& made) { made.pod("last", "b"); }}},
      {BreachKind::BoundToCordonedNode,
       {[](Made& made) {
          made.patch_node("n", R"({"spec":{"unschedulable":true}})");
          made.wait(5s);
          made.pod("in-time", "a");
        },
        [](Made& made) {
          made.wait(6s);
          made.pod("late", "b");
        }}},
      {BreachKind::BoundToUnreadyNode,
       {[](Made& made) {
          made.patch_node("n", R"({"status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})", "status");
          made.wait(5s);
          made.pod("in-time", "a");
        },
        [](Made& made) {
          made.wait(6s);
          made.pod("late", "b");
        }}},
      {BreachKind::BudgetExceeded,
       {[](Made& made) {
          made.workload("web", 4);
          made.budget("most", "web", R"("minAvailable":"75%")");
          made.move("first", "web-0", "MakeBeforeBreak", "Retiring");
          made.remove("web-0");
          made.pod("web-4", "web", "m");
        },
        [](Made& made) {
          made.patch_budget("most", R"({"spec":{"minAvailable":null,"maxUnavailable":0}})");
          made.remove("web-1");
        }}},
      {BreachKind::TooManyReplicasAway,
       {[](Made& made) {
          made.workload("web", 4);
          made.move("first", "web-0", "MakeBeforeBreak", "Retiring");
          made.remove("web-0");
        },
        [](Made& made) { made.remove("web-1"); }}},
      {BreachKind::UnexplainedLoss,
       {[](Made& made) {
          made.workload("web", 4);
          made.move("first", "web-0", "MakeBeforeBreak", "Retiring");
          made.enter("first", "Failed");
          made.wait(60s);
          made.remove("web-0");
          made.pod("web-4", "web", "m");
        },
        [](Made& made) {
          made.wait(300s);
          made.remove("web-1");
        }}},
      {BreachKind::UnannouncedEviction,
       {[](Made& made) {
          made.workload("web", 4);
          made.move("first", "web-0", "Coordinated", "Evicting");
          made.evict("web-0");
          made.pod("web-4", "web", "m");
        },
        [](Made& made) {
          made.move("second", "web-1", "Coordinated", "Preparing");
          made.evict("web-1");
        }}},
      {BreachKind::EvictionAnnouncedTwice,
       {[](Made& made) {
          made.workload("web", 4);
          made.move("first", "web-0", "Coordinated", "Evicting");
          made.move("second", "web-0", "Coordinated", "Preparing");
          made.evict("web-0");
          made.pod("web-4", "web", "m");
        },
        [](Made& made) {
          made.move("third", "web-1", "Coordinated", "Evicting");
          made.move("fourth", "web-1", "Coordinated", "Evicting");
          made.evict("web-1");
        }}},
      {BreachKind::ProtectedPodMoved,
       {[](Made& made) {
          made.checker().forbid("still");
          made.workload("web", 2);
          made.workload("still", 2);
          made.move("first", "web-0", "Coordinated", "Evicting");
          made.evict("web-0");
        },
        [](Made& made) {
          made.move("second", "still-0", "Coordinated", "Evicting");
          made.evict("still-0");
        }}},
      {BreachKind::TwoCopies,
       {[](Made& made) {
          made.checker().single_identity("one");
          made.pod("one", "one", "n", true);
          made.pod("two", "other", "n", true);
        },
        [](Made& made) { made.pod("copy", "one", "m", true); }}},
      {BreachKind::BarePodLost,
       {[](Made& made) {
          made.checker().single_identity("one");
          made.pod("one", "one", "n", true);
          made.checker().check_end();
        },
        [](Made& made) {
          made.move("first", "one", "Direct", "Retiring");
          made.evict("one");
          made.enter("first", "Failed");
          made.checker().check_end();
        }}},
      {BreachKind::BarePodDouble,
       {[](Made& made) {
          made.pod("one", "one", "n", true);
          made.checker().check_end();
        },
        [](Made& made) {
          made.pod("copy", "one", "m", true);
          made.checker().check_end();
        }}},
      {BreachKind::TemplateTouched,
       {[](Made& made) {
          made.workload("web", 2);
          made.checker().user_rolls_out("web");
          made.patch_deployment("web", R"({"spec":{"template":{"metadata":{"annotations":{"turn":"1"}}}}})");
          made.patch_deployment("web", R"({"metadata":{"annotations":{"turn":"1"}}})");
        },
        [](Made& made) {
          made.patch_deployment("web", R"({"spec":{"template":{"metadata":{"annotations":{"turn":"2"}}}}})");
        }}},
      {BreachKind::LabelLeft,
       {[](Made& made) {
          made.workload("web", 2);
          made.checker().check_end();
        },
        [](Made& made) {
          made.patch_pod("web-0", R"({"metadata":{"labels":{"rescheduler.io/migration":"first"}}})");
          made.checker().check_end();
        }}},
      {BreachKind::AnnotationLeft,
       {[](Made& made) {
          made.workload("web", 2);
          made.patch_deployment(
              "web", R"({"metadata":{"annotations":{"scheduler.alpha.kubernetes.io/rescheduling":"disabled"}}})");
          made.patch_pod("web-0",
                         R"({"metadata":{"annotations":{"controller.kubernetes.io/pod-deletion-cost":"100"}}})");
          made.checker().check_end();
        },
        [](Made& made) {
          made.patch_deployment(
              "web", R"({"metadata":{"annotations":{"scheduler.alpha.kubernetes.io/rescheduling-intent":"{}"}}})");
          made.checker().check_end();
        }}},
      {BreachKind::BudgetLeft,
       {[](Made& made) {
          made.workload("web", 2);
          made.budget("web", "web", R"("minAvailable":1)");
          made.checker().check_end();
        },
        [](Made& made) {
          made.budget("web-rescheduler-pdb", "web", R"("minAvailable":1)");
          made.checker().check_end();
        }}},
      {BreachKind::GateLeft,
       {[](Made& made) {
          made.pod_json(R"("name":"of-a-user","labels":{"app":"a"})",
                        R"("schedulingGates":[{"name":"example.org/quota"}])");
          made.checker().check_end();
        },
        [](Made& made) {
          made.pod_json(R"("name":"of-ours","labels":{"app":"b"})",
                        R"("schedulingGates":[{"name":"rescheduler.io/target"}])");
          made.checker().check_end();
        }}},
      {BreachKind::ReplicasLeft,
       {[](Made& made) {
          made.workload("web", 2);
          made.checker().user_scales("web", 3);
          made.patch_deployment("web", R"({"spec":{"replicas":3}})");
          made.checker().check_end();
        },
        [](Made& made) {
          made.patch_deployment("web", R"({"spec":{"replicas":4}})");
          made.checker().check_end();
        }}},
      {BreachKind::MigrationLeft,
       {[](Made& made) {
          made.workload("web", 2);
          made.move("first", "web-0", "Coordinated", "Refused");
          made.checker().check_end();
        },
        [](Made& made) {
          made.move("second", "web-1", "Coordinated", "CleaningUp");
          made.checker().check_end();
        }}},
      {BreachKind::FalseSuccess,
       {[](Made& made) {
          made.workload("web", 2);
          made.move("first", "web-0", "Coordinated", "Evicting");
          made.evict("web-0");
          made.pod("web-2", "web", "m");
          made.enter("first", "Succeeded", "web-2");
        },
        [](Made& made) {
          made.move("second", "web-1", "Coordinated", "Evicting");
          made.enter("second", "Succeeded", "web-2");
        }}},
      {BreachKind::WroteWithoutLease,
       {[](Made& made) {
          const auto lease = std::make_shared<kube::LeaderFence>(made.agenda());
          lease->allow_until(made.agenda().steady_now() + 10s);
          write_as(made, lease, "in-time");
        },
        [](Made& made) { write_as(made, std::make_shared<kube::LeaderFence>(made.agenda()), "late"); }}},
  };
  return all;
}

class EveryBreach : public testing::TestWithParam<std::size_t> {};

TEST_P(EveryBreach, IsFoundInItsHistoryAndNotInALawfulOne) {
  const auto kind = static_cast<BreachKind>(GetParam());
  ASSERT_FALSE(to_string(kind).empty()) << "breach " << GetParam() << " has no name";
  const auto found = provocations().find(kind);
  ASSERT_NE(found, provocations().end()) << "no history provokes " << to_string(kind);
  FabricatedHistory made;
  found->second.lawful(made);
  EXPECT_THAT(made.checker().breaches(), IsEmpty());
  found->second.breach(made);
  EXPECT_THAT(made.checker().breaches(), ElementsAre(Field(&Breach::kind, kind)));
}

INSTANTIATE_TEST_SUITE_P(HistoryCheckerTest,
                         EveryBreach,
                         testing::Range(std::size_t{0}, kBreachKinds),
                         [](const auto& one) { return std::string(to_string(static_cast<BreachKind>(one.param))); });

class HistoryCheckerTest : public testing::Test {
 protected:
  // A breach: both replicas of a workload of two are away.
  void take_both(const std::string& app) {
    made_.move(app + "-move", app + "-0", "MakeBeforeBreak", "Retiring");
    made_.remove(app + "-0");
    made_.remove(app + "-1");
  }
  HistoryChecker& checker() { return made_.checker(); }

  FabricatedHistory made_;
};

TEST_F(HistoryCheckerTest, FindsAProtectedPodThatWasDeletedInsteadOfEvicted) {
  checker().forbid("still");
  made_.workload("still", 2);
  made_.move("first", "still-0", "MakeBeforeBreak", "Retiring");
  made_.remove("still-0");
  EXPECT_THAT(checker().breaches(), ElementsAre(Field(&Breach::kind, BreachKind::ProtectedPodMoved)));
}

TEST_F(HistoryCheckerTest, FindsASuccessWithoutAReplacement) {
  made_.workload("web", 2);
  made_.move("first", "web-0", "Coordinated", "Evicting");
  made_.evict("web-0");
  made_.pod("web-2", "web", "n");
  made_.enter("first", "Succeeded", "web-2");
  EXPECT_THAT(checker().breaches(), ElementsAre(Field(&Breach::text, HasSubstr("web-2 is not ready on m"))));
}

TEST_F(HistoryCheckerTest, AllowsASuccessThatIsWrittenAfterTheNextMoveOfTheReplacement) {
  made_.workload("web", 2);
  made_.move("first", "web-0", "Coordinated", "Evicting");
  made_.evict("web-0");
  made_.pod("web-2", "web", "m");
  made_.enter("first", "CleaningUp", "web-2");
  made_.wait(1s);
  made_.move("second", "web-2", "Coordinated", "Evicting");
  made_.evict("web-2");
  made_.enter("first", "Succeeded", "web-2");
  EXPECT_THAT(checker().breaches(), IsEmpty());
}

TEST_F(HistoryCheckerTest, FindsAWriteThatEndedAfterItsLease) {
  sim::Documents documents{made_.server()};
  sim::WireFaults faults(made_.server(), 1);
  sim::LocalApi silent(made_.server(), documents, &faults);
  faults.add({.fault = {.lose_request = sim::Loss::Silence}});
  const auto lease = std::make_shared<kube::LeaderFence>(made_.agenda());
  lease->allow_until(made_.agenda().steady_now() + 10s);
  LeaseCheckingApi lease_api(silent, lease, made_.agenda(), checker());
  api::Namespace object;
  object.mutable_metadata()->set_name("late");
  EXPECT_FALSE(made_.loop().await_result(kube::Client(lease_api).create(std::move(object))));
  EXPECT_THAT(checker().breaches(), ElementsAre(Field(&Breach::text, HasSubstr("not give up in time"))));
}

TEST_F(HistoryCheckerTest, DoesNotJudgeAWorkloadThatAUserChangedUntilItIsComplete) {
  made_.workload("web", 2);
  checker().user_deletes_pod("web");
  take_both("web");
  made_.wait(10s);
  EXPECT_THAT(checker().breaches(), IsEmpty());
  EXPECT_THAT(checker().judged_workloads(), IsEmpty());
  made_.pod("web-2", "web");
  made_.pod("web-3", "web");
  made_.remove("web-2");
  EXPECT_THAT(checker().breaches(), IsEmpty());
  made_.remove("web-3");
  EXPECT_THAT(checker().breaches(), ElementsAre(Field(&Breach::kind, BreachKind::TooManyReplicasAway)));
  EXPECT_THAT(checker().judged_workloads(), ElementsAre(Pair("web", 2)));
}

TEST_F(HistoryCheckerTest, AllowsTheEndOfASurgeThatLeavesFewerPodsThanTheBudgetAsksFor) {
  made_.workload("web", 1);
  made_.budget("web", "web", R"("minAvailable":3)");
  made_.move("first", "web-0", "MakeBeforeBreak", "Retiring");
  made_.pod("web-1", "web", "m");
  made_.remove("web-0");
  EXPECT_THAT(checker().breaches(), IsEmpty());
  EXPECT_THAT(checker().judged_budgets(), ElementsAre(Pair("web", 1)));
}

TEST_F(HistoryCheckerTest, DoesNotJudgeWorkloadsOnAFailedNode) {
  made_.workload("web", 2);
  made_.pod("far", "far", "m", true);
  checker().node_fails("m");
  made_.remove("far");
  EXPECT_THAT(checker().judged_workloads(), IsEmpty());
  take_both("web");
  EXPECT_THAT(checker().breaches(), ElementsAre(Field(&Breach::kind, BreachKind::TooManyReplicasAway)));
}

TEST_F(HistoryCheckerTest, ExpectsSuccessOfAnUndisturbedMoveOnly) {
  made_.workload("web", 2);
  made_.workload("fixed", 2);
  made_.budget("fixed", "fixed", R"("maxUnavailable":0)");
  const MoveLedger& ledger = checker().ledger();
  const auto uid = [&](const std::string& name) { return made_.uid_of(name); };
  EXPECT_EQ(ledger.expectation(uid("web-0"), "m", "Automatic"), Expected::Success);
  EXPECT_EQ(ledger.expectation(uid("web-0"), "n", "Automatic"), Expected::Anything);
  EXPECT_EQ(ledger.expectation(uid("fixed-0"), "m", "Automatic"), Expected::Refused);
  EXPECT_EQ(ledger.expectation(uid("fixed-0"), "m", "MakeBeforeBreak"), Expected::Success);
  for (int i = 0; i < 10; ++i) made_.pod(fmt::format("full{}", i), "full", "m");
  EXPECT_EQ(ledger.expectation(uid("web-0"), "m", "Automatic"), Expected::Anything);
}

TEST_F(HistoryCheckerTest, ExpectsNoResultOfACancelledMoveOrWithACordonedTarget) {
  made_.workload("web", 2);
  made_.workload("api", 2);
  made_.workload("app", 2);
  made_.move("first", "web-0", "Coordinated", "Preparing");
  made_.patch_migration("first", R"({"spec":{"cancel":true}})");
  made_.enter("first", "Refused");
  made_.move("second", "api-0", "Coordinated", "Preparing");
  made_.enter("second", "Refused");
  made_.move("third", "app-0", "Coordinated", "Preparing");
  made_.patch_node("m", R"({"spec":{"unschedulable":true}})");
  made_.enter("third", "Refused");
  EXPECT_THAT(checker().ledger().surprises(), ElementsAre(HasSubstr("second")));
}

}  // namespace
}  // namespace rescheduler::test
