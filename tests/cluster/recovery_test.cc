// A pod that keeps failing on one node gets another node, at most as often as its retry budget allows.
#include "support/recovery.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/policy.pb.h"
#include "placement/visited_nodes.h"
#include "support/objects.h"

namespace rescheduler::test {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

class Recovery : public RecoveryTest {
 protected:
  void start() {
    TestSchedulerSettings scheduler;
    scheduler.keeps_off_visited_nodes = true;
    start_scheduler(scheduler);
  }
  std::string visited(const api::Pod& pod) {
    const auto found = pod.metadata().annotations().find(std::string(placement::kScheduledHosts));
    return found == pod.metadata().annotations().end() ? "" : found->second;
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(Recovery);

TEST_P(Recovery, ADeploymentThatCrashesOnTwoOfFiveNodesEndsHealthyOnAnother) {
  const auto nodes = add_nodes(5);
  start();
  // At first only the two bad nodes accept pods, so the pod fails on both before it gets another node.
  for (std::size_t i = 2; i < 5; ++i) patch_node(nodes[i], R"({"spec":{"unschedulable":true}})");
  auto& recovery = start_recovery();
  create(failing_deployment("web", 1, "3", nodes[0] + "," + nodes[1]));
  ASSERT_TRUE(event_contains("web", "Rescheduled", "attempt 1 of 3, avoiding " + ns()));
  for (std::size_t i = 2; i < 5; ++i) patch_node(nodes[i], R"({"spec":{"unschedulable":false}})");
  // A pod is ready for a moment before it crashes, so only a pod on a good node counts.
  std::string visited_nodes;
  ASSERT_TRUE(eventually([&] {
    const auto live = live_pods();
    if (live.size() != 1 || !is_ready(live[0])) return false;
    visited_nodes = visited(live[0]);
    return live[0].spec().node_name() != nodes[0] && live[0].spec().node_name() != nodes[1];
  }));
  EXPECT_THAT(visited_nodes, HasSubstr(ns() + "-n"));
  const std::string ledger = annotation<api::Deployment>("web", "kse.com/deploy");
  EXPECT_THAT(ledger, HasSubstr("deployScheduledHosts"));
  EXPECT_THAT(recovery.metrics(), HasSubstr("rescheduler_recovery_attempts_total"));
}

TEST_P(Recovery, ADeploymentThatCrashesOnEveryNodeIsStoppedAfterItsRetriesWithAVerdict) {
  add_nodes(5);
  start();
  auto& recovery = start_recovery();
  create(failing_deployment("web", 1, "3", "*"));
  ASSERT_TRUE(
      event_contains("web", "ApplicationFault", "3 of 3 attempts made, no further attempt: verdict application"));
  EXPECT_TRUE(event_contains("web", "Rescheduled", "attempt 3 of 3, avoiding "));
  EXPECT_THAT(annotation<api::Deployment>("web", "kse.com/deploy"), HasSubstr(R"("currentReschedulingTimes":3)"));
  const std::string counted = R"(rescheduler_recovery_stopped_total{verdict="application"} 1)";
  EXPECT_TRUE(eventually([&] { return recovery.metrics().find(counted) != std::string::npos; })) << recovery.metrics();
  std::string condition;
  EXPECT_TRUE(eventually([&] {
    for (const api::Pod& pod : live_pods()) {
      const auto* condition_seen = condition_of(pod, "rescheduler.io/Recoverable");
      if (condition_seen != nullptr) condition = condition_seen->reason();
    }
    return condition == "ApplicationFault";
  })) << condition;
}

TEST_P(Recovery, AnImageThatCannotBePulledOnOneNodeIsPulledOnAnother) {
  const auto nodes = add_nodes(2);
  start();
  patch_node(nodes[1], R"({"spec":{"unschedulable":true}})");
  start_recovery();
  auto deployment = failing_deployment("web", 1, "2", "");
  (*deployment.mutable_spec()
        ->mutable_template_()
        ->mutable_metadata()
        ->mutable_annotations())["sim.rescheduler.io/image-pull-fails-on"] = nodes[0];
  create(deployment);
  ASSERT_TRUE(eventually([&] { return !live_pods().empty() && live_pods()[0].spec().node_name() == nodes[0]; }));
  patch_node(nodes[1], R"({"spec":{"unschedulable":false}})");
  ASSERT_TRUE(eventually([&] {
    const auto live = live_pods();
    return live.size() == 1 && is_ready(live[0]) && live[0].spec().node_name() == nodes[1];
  }));
  EXPECT_TRUE(event_contains("web", "Rescheduled", "attempt 1 of 2"));
}

TEST_P(Recovery, WorkloadsWithoutAValidRetriesAnnotationAreNotRescheduled) {
  const auto nodes = add_nodes(2);
  start();
  start_recovery();
  const std::pair<const char*, const char*> cases[] = {{"zero", "0"}, {"minus", "-1"}, {"word", "abc"}, {"none", ""}};
  for (const auto& [name, retries] : cases) {
    auto deployment = failing_deployment(name, 1, retries, "*");
    (*deployment.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = name;
    (*deployment.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())["app"] = name;
    create(deployment);
  }
  auto many = failing_deployment("many", 1, "999999999999", "*");
  (*many.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "many";
  (*many.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())["app"] = "many";
  create(many);
  // This workload is created last: its event shows that recovery has seen the others.
  ASSERT_TRUE(event_contains("many", "Rescheduled", "attempt 1 of 100"));
  EXPECT_TRUE(event_contains("many", "InvalidRetries", "above the maximum; 100 retries"));
  EXPECT_TRUE(event_contains("word", "InvalidRetries", "'abc' is not a number"));
  EXPECT_TRUE(event_contains("minus", "InvalidRetries", "'-1' is not a number"));
  for (const auto& [name, retries] : cases) {
    EXPECT_EQ(events(name, "Rescheduled").size(), 0U) << name;
    EXPECT_EQ(annotation<api::Deployment>(name, "kse.com/deploy"), "") << name;
  }
}

TEST_P(Recovery, AnEvictionThatThePodDisruptionBudgetForbidsIsNotCounted) {
  add_nodes(2);
  start();
  api::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_namespace_(ns());
  budget.mutable_metadata()->set_name("b");
  budget.mutable_spec()->mutable_min_available()->set_int_val(1);
  (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
  create(budget);
  start_recovery();
  create(failing_deployment("web", 1, "2", "*"));
  ASSERT_TRUE(event_contains("web", "ReschedulingFailed", "unhealthyPodEvictionPolicy: AlwaysAllow"));
  EXPECT_EQ(annotation<api::Deployment>("web", "kse.com/deploy"), "");
  auto freed = await(
      client().patch<api::PodDisruptionBudget>(ns(), "b", R"({"spec":{"unhealthyPodEvictionPolicy":"AlwaysAllow"}})"));
  ASSERT_TRUE(freed) << freed.error().message;
  EXPECT_TRUE(event_contains("web", "Rescheduled", "attempt 1 of 2"));
}

TEST_P(Recovery, AHealthyWindowResetsTheRetryCountAndKeepsTheNodesToAvoid) {
  const auto nodes = add_nodes(2);
  start();
  auto settings = quick();
  settings.healthy_window = seconds{1};
  patch_node(nodes[1], R"({"spec":{"unschedulable":true}})");
  start_recovery(settings);
  create(failing_deployment("web", 1, "2", nodes[0]));
  ASSERT_TRUE(event_contains("web", "Rescheduled", "attempt 1 of 2"));
  patch_node(nodes[1], R"({"spec":{"unschedulable":false}})");
  ASSERT_TRUE(event_contains("web", "Recovered", "the retry count starts at zero"));
  EXPECT_THAT(annotation<api::Deployment>("web", "kse.com/deploy"), HasSubstr(R"("currentReschedulingTimes":0)"));
  EXPECT_THAT(annotation<api::Deployment>("web", "kse.com/deploy"), HasSubstr(nodes[0])) << "the node is still avoided";
}

// Its own real cluster with short timeouts: the shared one reports a dead node later than a test should wait.
class RecoveryFromDeadNodes : public Recovery {
 protected:
  std::vector<std::string> own_rig() const override {
    return {"--kwok-arg=--node-lease-duration-seconds=8", "--controller-manager-arg=--node-monitor-grace-period=10s",
            "--controller-manager-arg=--node-monitor-period=1s"};
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(RecoveryFromDeadNodes);

TEST_P(RecoveryFromDeadNodes, APodOfADeadNodeIsReplacedBeforeItsTolerationsExpire) {
  const auto nodes = add_nodes(2);
  start();
  patch_node(nodes[1], R"({"spec":{"unschedulable":true}})");
  start_recovery();
  create(failing_deployment("web", 1, "2", ""));
  ASSERT_TRUE(all_ready(1));
  patch_node(nodes[1], R"({"spec":{"unschedulable":false}})");
  kill_node(nodes[0]);
  ASSERT_TRUE(eventually([&] {
    const auto live = live_pods();
    return live.size() == 1 && is_ready(live[0]) && live[0].spec().node_name() == nodes[1];
  }));
  EXPECT_TRUE(event_contains("web", "Rescheduled", "its node has not been ready"));
}

}  // namespace
}  // namespace rescheduler::test
