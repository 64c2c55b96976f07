// A move in each of its modes, on every cluster.
#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/policy.pb.h"
#include "migration/keys.h"
#include "support/migrator.h"
#include "support/objects.h"

namespace rescheduler::test {
namespace {

using migration::MoveMode;
using migration::MoveResult;
using testing::HasSubstr;
using testing::IsEmpty;

class Moves : public MigrationTest {
 protected:
  // No other node accepts new pods. Running pods stay.
  void leave_only(const std::string& node) {
    for (const std::string& other : nodes_) {
      if (other != node) patch_node(other, R"({"spec":{"taints":[{"key":"shut","effect":"NoSchedule"}]}})");
    }
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(Moves);

TEST_P(Moves, ACoordinatedMoveReachesItsTargetAndCleansUp) {
  deploy("web", 3);
  const std::string before = template_hash("web");
  start_migrator();
  const api::Pod pod = pods_of("web").front();
  const std::string target = other_node(pod.spec().node_name());
  const auto outcome = move(move_request_for(pod, target));
  EXPECT_EQ(outcome.result, MoveResult::Succeeded) << outcome.message;
  EXPECT_EQ(outcome.landed, target);
  EXPECT_EQ(node_of_pod(outcome.replacement), target);
  EXPECT_EQ(outcome.request.lineage.kind, "Deployment");
  EXPECT_TRUE(available("web", 3));
  EXPECT_EQ(template_hash("web"), before);
  EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
  EXPECT_TRUE(migrator().under_way().empty());

  const auto records = migrations();
  ASSERT_EQ(records.size(), 1U);
  const auto& status = records.front().status();
  EXPECT_EQ(status.phase(), "Succeeded");
  EXPECT_EQ(status.mode(), "Coordinated");
  std::vector<std::string> names;
  for (const auto& step : status.steps()) names.push_back(step.name());
  EXPECT_THAT(names,
              testing::ElementsAre("Preparing", "Evicting", "Replacing", "Replacement", "CleaningUp", "Succeeded"));
  EXPECT_THAT(status.measured(), HasSubstr("unavailableReplicaSeconds"));
  EXPECT_TRUE(eventually([&] { return !events(outcome.replacement, "Rescheduled").empty(); }));
  EXPECT_TRUE(eventually([&] { return !events("web", "Rescheduled").empty(); }));
}

TEST_P(Moves, AStatefulSetPodKeepsItsNameOnTheTargetNode) {
  deploy_set("db", 2);
  start_migrator();
  const api::Pod pod = pods_of("db").front();
  const std::string target = other_node(pod.spec().node_name());
  const auto outcome = move(move_request_for(pod, target));
  EXPECT_EQ(outcome.result, MoveResult::Succeeded) << outcome.message;
  EXPECT_EQ(outcome.replacement, "db-0");
  EXPECT_EQ(node_of_pod("db-0"), target);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Moves, ASingleReplicaStaysAvailableDuringItsMove) {
  deploy("solo", 1);
  const std::string before = template_hash("solo");
  start_migrator();
  const api::Pod pod = pods_of("solo").front();
  const std::string target = other_node(pod.spec().node_name());
  AvailabilityWatch watch(cluster(), ns(), {"solo"});
  ASSERT_TRUE(eventually([&] { return watch.samples() > 1; }));
  const auto outcome = move(move_request_for(pod, target));
  EXPECT_EQ(outcome.result, MoveResult::Succeeded) << outcome.message;
  EXPECT_EQ(outcome.landed, target);
  EXPECT_EQ(outcome.request.mode, MoveMode::MakeBeforeBreak);
  EXPECT_TRUE(available("solo", 1));
  watch.stop();
  EXPECT_GE(watch.least_ready("solo"), 1) << "in " << watch.samples() << " samples";
  EXPECT_EQ(template_hash("solo"), before);
  const auto left = pods_of("solo");
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().spec().node_name(), target);
  EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
}

TEST_P(Moves, AReplacementOnTheSourceNodeIsAFailedMove) {
  deploy("web", 2);
  const api::Pod pod = pods_of("web").front();
  const std::string source = pod.spec().node_name();
  leave_only(source);
  start_migrator();
  const auto outcome = move(move_request_for(pod, other_node(source)));
  EXPECT_EQ(outcome.result, MoveResult::Failed) << outcome.message;
  EXPECT_EQ(outcome.landed, source);
  EXPECT_THAT(outcome.message, HasSubstr("but on the source node " + source + " again"));
  EXPECT_TRUE(available("web", 2));
  const auto records = migrations();
  ASSERT_EQ(records.size(), 1U);
  EXPECT_EQ(records.front().status().phase(), "Failed");
  const auto& conditions = records.front().status().conditions();
  const auto complete = std::ranges::find(conditions, "Complete", [](const auto& one) { return one.type(); });
  ASSERT_NE(complete, conditions.end());
  EXPECT_EQ(complete->status(), "False");
  EXPECT_TRUE(eventually([&] { return !events("web", "ReschedulingFailed").empty(); }));
  EXPECT_THAT(events("web", "Rescheduled"), IsEmpty());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Moves, ASingleReplicaStaysAvailableIfItsReplacementGetsTheSourceNode) {
  deploy("solo", 1);
  const api::Pod pod = pods_of("solo").front();
  const std::string source = pod.spec().node_name();
  leave_only(source);
  start_migrator();
  AvailabilityWatch watch(cluster(), ns(), {"solo"});
  ASSERT_TRUE(eventually([&] { return watch.samples() > 1; }));
  const auto outcome = move(move_request_for(pod, other_node(source)));
  EXPECT_EQ(outcome.request.mode, MoveMode::MakeBeforeBreak);
  EXPECT_EQ(outcome.result, MoveResult::Failed) << outcome.message;
  EXPECT_TRUE(available("solo", 1));
  watch.stop();
  EXPECT_GE(watch.least_ready("solo"), 1);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Moves, ABarePodStaysAvailableBecauseItIsCopiedBeforeItsEviction) {
  settings_.direct = true;
  add_pod("bare", R"({"metadata": {"labels": {"app": "bare"}}})");
  ASSERT_FALSE(lands_on("bare").empty());
  ASSERT_TRUE(eventually([&] {
    const api::Pod seen = pod("bare");
    const auto* ready = condition_of(seen, "Ready");
    return ready != nullptr && ready->status() == "True";
  }));
  start_migrator();
  const api::Pod before = pod("bare");
  const std::string target = other_node(before.spec().node_name());
  AvailabilityWatch watch(cluster(), ns(), {"bare"});
  ASSERT_TRUE(eventually([&] { return watch.samples() > 1; }));
  const auto outcome = move(move_request_for(before, target));
  watch.stop();
  EXPECT_EQ(outcome.result, MoveResult::Succeeded) << outcome.message;
  EXPECT_EQ(outcome.request.mode, MoveMode::Direct);
  EXPECT_THAT(outcome.replacement, testing::StartsWith("rescheduled-bare-"));
  EXPECT_EQ(node_of_pod(outcome.replacement), target);
  EXPECT_GE(watch.least_ready("bare"), 1);
  EXPECT_TRUE(pod("bare").metadata().name().empty());
  EXPECT_TRUE(pod(outcome.replacement).spec().scheduling_gates().empty());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Moves, ABarePodWithAHostPortIsMovedToItsTarget) {
  settings_.direct = true;
  add_pod("ported", R"({"metadata": {"labels": {"app": "ported"}}, "spec": {"containers": [{"name": "main",
    "image": "registry.example/app:1", "ports": [{"containerPort": 80, "hostPort": 31080}]}]}})");
  ASSERT_FALSE(lands_on("ported").empty());
  start_migrator();
  const api::Pod before = pod("ported");
  const std::string target = other_node(before.spec().node_name());
  const auto outcome = move(move_request_for(before, target));
  EXPECT_EQ(outcome.result, MoveResult::Succeeded) << outcome.message;
  EXPECT_EQ(node_of_pod(outcome.replacement), target);
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Moves, ABarePodIsNotMovedUnlessDirectMovesAreEnabled) {
  add_pod("bare");
  ASSERT_FALSE(lands_on("bare").empty());
  start_migrator();
  const auto outcome = move(move_request_for(pod("bare"), other_node(node_of_pod("bare"))));
  EXPECT_EQ(outcome.result, MoveResult::Refused);
  EXPECT_THAT(outcome.message, HasSubstr("not enabled"));
}

TEST_P(Moves, OnlyTheConfiguredNumberOfFinishedMigrationsIsKept) {
  settings_.history = 1;
  add_pod("bare");
  ASSERT_FALSE(lands_on("bare").empty());
  start_migrator();
  const auto request = move_request_for(pod("bare"), other_node(node_of_pod("bare")));
  // Each move leaves a Migration. The migrator can sweep by itself in between.
  EXPECT_EQ(move(request).result, MoveResult::Refused);
  EXPECT_EQ(move(request).result, MoveResult::Refused);
  EXPECT_THAT(migrations(), ::testing::Not(IsEmpty()));
  migrator().sweep();
  EXPECT_TRUE(eventually([&] { return migrations().size() == 1; }));
}

TEST_P(Moves, AnOptOutAStaleUidAndAnUnknownTargetEachPreventTheMove) {
  deploy("web", 2);
  start_migrator();
  const api::Pod one = pods_of("web").front();
  const std::string target = other_node(one.spec().node_name());
  ASSERT_TRUE(await(client().patch<api::Deployment>(
      ns(), "web", R"({"metadata":{"annotations":{"scheduler.alpha.kubernetes.io/rescheduling":"disabled"}}})")));
  auto outcome = move(move_request_for(one, target));
  EXPECT_EQ(outcome.result, MoveResult::Refused);
  EXPECT_THAT(outcome.message, HasSubstr("disabled"));

  auto stale = move_request_for(one, target);
  stale.uid = "another";
  EXPECT_EQ(move(stale).result, MoveResult::Stale);
  auto nowhere = move_request_for(one, "no-such-node");
  ASSERT_TRUE(await(client().patch<api::Deployment>(
      ns(), "web", R"({"metadata":{"annotations":{"scheduler.alpha.kubernetes.io/rescheduling":null}}})")));
  outcome = move(nowhere);
  EXPECT_EQ(outcome.result, MoveResult::Refused);
  EXPECT_THAT(outcome.message, HasSubstr("no node"));
  EXPECT_EQ(pods_of("web").front().metadata().uid(), one.metadata().uid());
}

TEST_P(Moves, ATemporaryPodDisruptionBudgetIsCreatedOnceAndRemovedAfterTheMove) {
  settings_.protect_unprotected = true;
  deploy("web", 3);
  start_migrator();
  const api::Pod pod = pods_of("web").front();
  const auto outcome = move(move_request_for(pod, other_node(pod.spec().node_name())));
  EXPECT_EQ(outcome.result, MoveResult::Succeeded) << outcome.message;
  const auto wrote = migrator().writes();
  EXPECT_EQ(
      std::ranges::count_if(wrote, [](const std::string& one) { return one.starts_with("create poddisruption"); }), 1);
  EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
}

TEST_P(Moves, AMoveThatThePodDisruptionBudgetForbidsUntilItsDeadlineIsRefused) {
  deploy("web", 2);
  api::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_namespace_(ns());
  budget.mutable_metadata()->set_name("none");
  budget.mutable_spec()->mutable_min_available()->set_int_val(2);
  (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
  create(budget);
  ASSERT_TRUE(eventually([&] {
    auto read = await(client().get<api::PodDisruptionBudget>(ns(), "none"));
    return read && read->status().observed_generation() > 0 && read->status().current_healthy() == 2;
  }));
  start_migrator();
  const auto before = pods_of("web");
  auto request = move_request_for(before.front(), other_node(before.front().spec().node_name()));
  request.deadline = std::chrono::seconds{3};
  const auto outcome = move(request);
  EXPECT_EQ(outcome.result, MoveResult::Refused);
  EXPECT_THAT(outcome.message, HasSubstr("disruption budget"));
  EXPECT_EQ(pods_of("web").front().metadata().uid(), before.front().metadata().uid());
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Moves, AMoveOfAPodWithTwoPodDisruptionBudgetsIsRefused) {
  deploy("web", 2);
  for (const char* name : {"one", "two"}) {
    api::PodDisruptionBudget budget;
    budget.mutable_metadata()->set_namespace_(ns());
    budget.mutable_metadata()->set_name(name);
    budget.mutable_spec()->mutable_max_unavailable()->set_int_val(1);
    (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
    create(budget);
  }
  start_migrator();
  const api::Pod pod = pods_of("web").front();
  const auto outcome = move(move_request_for(pod, other_node(pod.spec().node_name())));
  EXPECT_EQ(outcome.result, MoveResult::Refused);
  EXPECT_THAT(outcome.message, HasSubstr("several PodDisruptionBudgets"));
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Moves, AReplicaCountThatAnotherClientSetsDuringAMoveIsKept) {
  deploy("solo", 1);
  const api::Pod pod = pods_of("solo").front();
  const std::string target = other_node(pod.spec().node_name());
  // No node accepts the new replica, so the replica and the move wait.
  patch_node(target, R"({"spec":{"taints":[{"key":"shut","value":"yes","effect":"NoSchedule"}]}})");
  for (const std::string& node : nodes_) {
    if (node != pod.spec().node_name())
      patch_node(node, R"({"spec":{"taints":[{"key":"shut","effect":"NoSchedule"}]}})");
  }
  patch_node(pod.spec().node_name(), R"({"spec":{"taints":[{"key":"shut","effect":"NoSchedule"}]}})");
  start_migrator();
  migrator().begin(move_request_for(pod, target));
  ASSERT_TRUE(eventually([&] {
    auto read = await(client().get<api::Deployment>(ns(), "solo"));
    return read && read->spec().replicas() == 2;
  }));
  ASSERT_TRUE(await(client().patch<api::Deployment>(ns(), "solo", R"({"spec":{"replicas":4}})")));
  ASSERT_TRUE(all_ended());
  const auto record = migrations().front();
  EXPECT_EQ(record.status().phase(), "Failed") << record.status().message();
  EXPECT_THAT(record.status().message(), HasSubstr("replicas to 4"));
  auto read = await(client().get<api::Deployment>(ns(), "solo"));
  EXPECT_EQ(read->spec().replicas(), 4);
  EXPECT_EQ(node_of_pod(pod.metadata().name()), pod.spec().node_name());
  EXPECT_THAT(leftovers(), IsEmpty());
}

// A waiting move sends no requests: with hundreds of planned moves they would keep the API server busy.
TEST_P(Moves, QueuedMovesDoNotPollTheirPodsAndAllOfThemRunLater) {
  constexpr int kPods = 4;
  deploy("web", kPods);
  const auto shut = [&](const char* taints) {
    for (const std::string& node : nodes_) patch_node(node, taints);
  };
  // No node accepts the replacement of the first pod.
  shut(R"({"spec":{"taints":[{"key":"shut","effect":"NoSchedule"}]}})");
  start_migrator();
  for (const api::Pod& pod : pods_of("web"))
    migrator().begin(move_request_for(pod, other_node(pod.spec().node_name())));
  std::string first;
  ASSERT_TRUE(eventually([&] {
    for (const auto& one : migrations()) {
      if (one.status().phase() == "Replacing") first = one.spec().pod();
    }
    return !first.empty() && migrator().pod_reads().size() == kPods;
  }));
  const auto before = migrator().pod_reads();
  ASSERT_TRUE(eventually([&] { return migrator().pod_reads()[first] >= before.at(first) + 12; }));
  for (const auto& [pod, reads] : migrator().pod_reads()) {
    if (pod != first) {
      EXPECT_LE(reads, before.at(pod) + 8) << pod;
    }
  }
  shut(R"({"spec":{"taints":null}})");
  ASSERT_TRUE(all_ended());
  for (const auto& one : migrations()) EXPECT_NE(one.status().phase(), "Refused") << one.status().message();
  EXPECT_THAT(leftovers(), IsEmpty());
}

TEST_P(Moves, ObjectsOfAMigrationThatDoesNotExistAreSweptAndItsSurgeIsUndone) {
  deploy("solo", 2);
  const api::Pod pod = pods_of("solo").front();
  const std::string label = R"("labels":{"rescheduler.io/migration":"long-gone"})";
  ASSERT_TRUE(await(client().patch<api::Pod>(
      ns(), pod.metadata().name(),
      R"({"metadata":{)" + label + R"(,"annotations":{"controller.kubernetes.io/pod-deletion-cost":"-2147483648",
             "rescheduler.io/deletion-cost-before":"7"}}})")));
  ASSERT_TRUE(await(client().patch<api::Deployment>(
      ns(), "solo", R"({"metadata":{)" + label + R"(,"annotations":{"scheduler.alpha.kubernetes.io/rescheduling-intent":
             "{\"migration\":\"long-gone\",\"surge\":{\"before\":1,\"during\":2}}"}}})")));
  api::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_namespace_(ns());
  budget.mutable_metadata()->set_name("solo-rescheduler-pdb");
  (*budget.mutable_metadata()->mutable_labels())["rescheduler.io/migration"] = "long-gone";
  budget.mutable_spec()->mutable_max_unavailable()->set_int_val(1);
  (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "solo";
  create(budget);
  start_migrator();
  EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
  EXPECT_TRUE(available("solo", 1)) << "the surge is undone";
}

TEST_P(Moves, AMoveWhoseMigrationIsDeletedIsUndone) {
  deploy("solo", 1);
  const api::Pod pod = pods_of("solo").front();
  for (const std::string& node : nodes_) {
    patch_node(node, R"({"spec":{"taints":[{"key":"shut","effect":"NoSchedule"}]}})");
  }
  start_migrator();
  migrator().begin(move_request_for(pod, other_node(pod.spec().node_name())));
  ASSERT_TRUE(eventually([&] {
    auto read = await(client().get<api::Deployment>(ns(), "solo"));
    return read && read->spec().replicas() == 2;
  }));
  ASSERT_TRUE(await(client().remove<api::Migration>(ns(), migrations().front().metadata().name())));
  EXPECT_TRUE(available("solo", 1));
  EXPECT_EQ(pods_of("solo").front().metadata().uid(), pod.metadata().uid());
  EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
}

TEST_P(Moves, ACancelledMoveIsUndone) {
  deploy("solo", 1);
  const api::Pod pod = pods_of("solo").front();
  for (const std::string& node : nodes_)
    patch_node(node, R"({"spec":{"taints":[{"key":"shut","effect":"NoSchedule"}]}})");
  start_migrator();
  migrator().begin(move_request_for(pod, other_node(pod.spec().node_name())));
  ASSERT_TRUE(eventually([&] {
    auto read = await(client().get<api::Deployment>(ns(), "solo"));
    return read && read->spec().replicas() == 2;
  }));
  const std::string name = migrations().front().metadata().name();
  ASSERT_TRUE(await(client().patch<api::Migration>(ns(), name, R"({"spec":{"cancel":true}})")));
  ASSERT_TRUE(all_ended());
  EXPECT_EQ(migrations().front().status().message(), "cancelled");
  EXPECT_TRUE(available("solo", 1));
  EXPECT_EQ(pods_of("solo").front().metadata().uid(), pod.metadata().uid());
  EXPECT_THAT(leftovers(), IsEmpty());
}

}  // namespace
}  // namespace rescheduler::test
