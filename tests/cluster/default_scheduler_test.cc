// Pods of another scheduler are moved and recovered too. That scheduler gets the target node and the node to avoid
// through fields of its own API. On every cluster it is a second instance of ours; on the real one also kube-scheduler.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/migrator.h"
#include "support/recovery.h"

namespace rescheduler::test {
namespace {

using migration::MoveResult;

const std::vector<std::string> kWithKubeScheduler{"--with",
                                                  "etcd,kube-apiserver,kube-controller-manager,kube-scheduler,kwok"};

class MovesWithWebhook : public MigrationTest {
 protected:
  void TearDown() override {
    webhook_.reset();
    MigrationTest::TearDown();
  }
  // The webhook reads the targets of the MigrationController, as in the daemon.
  void start_webhook() {
    TestRecoverySettings settings;
    settings.ns = ns();
    settings.intents = [this](const api::Pod& pod) { return migrator().intent_for(pod); };
    webhook_ = std::make_unique<TestRecovery>(cluster(), std::move(settings));
  }

  std::unique_ptr<TestRecovery> webhook_;
};

class MovesOfAnotherScheduler : public MovesWithWebhook {
 protected:
  void SetUp() override {
    MovesWithWebhook::SetUp();
    if (IsSkipped()) return;
    scheduler_name_ = ns() + "-other";
    TestSchedulerSettings other;
    other.name = scheduler_name_;
    start_scheduler(other);  // gets no intents
  }
  // Starts what moves and steers pods, and returns one of the three pods of the Deployment "web".
  api::Pod deploy_web() {
    deploy("web", 3);
    start_migrator();
    start_webhook();
    return pods_of("web").front();
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(MovesOfAnotherScheduler);

TEST_P(MovesOfAnotherScheduler, TheWebhookTellsTheReplacementItsTargetAndTheNodeToAvoid) {
  const api::Pod pod = deploy_web();
  const std::string source = pod.spec().node_name();
  const std::string target = other_node(source);
  const auto outcome = move(move_request_for(pod, target));
  EXPECT_EQ(outcome.result, MoveResult::Succeeded) << outcome.message;
  const api::Pod replacement = this->pod(outcome.replacement);
  EXPECT_EQ(replacement.spec().scheduler_name(), scheduler_name_);
  const auto preferences = [](const api::Pod& one) {
    return one.spec().affinity().node_affinity().preferred_during_scheduling_ignored_during_execution();
  };
  const auto preferred = preferences(replacement);
  ASSERT_EQ(preferred.size(), 2);
  EXPECT_EQ(preferred[0].preference().match_fields(0).operator_(), "In");
  EXPECT_EQ(preferred[0].preference().match_fields(0).values(0), target);
  EXPECT_EQ(preferred[1].preference().match_fields(0).operator_(), "NotIn");
  EXPECT_EQ(preferred[1].preference().match_fields(0).values(0), source);
  for (const api::Pod& one : pods_of("web")) {
    EXPECT_EQ(preferences(one).empty(), one.metadata().name() != outcome.replacement)
        << "of one pod, not of the template";
  }
}

// Without the preference the source node would win: it has no other pod of the workload.
TEST_P(MovesOfAnotherScheduler, AReplacementThatCannotReachItsTargetGoesToAThirdNode) {
  const api::Pod pod = deploy_web();
  const std::string source = pod.spec().node_name();
  const std::string target = other_node(source);
  patch_node(target, R"({"spec":{"taints":[{"key":"shut","effect":"NoSchedule"}]}})");
  const auto outcome = move(move_request_for(pod, target));
  EXPECT_EQ(outcome.result, MoveResult::Elsewhere) << outcome.message;
  EXPECT_EQ(outcome.landed, other_node(target));
}

class MovesWithKubeScheduler : public MovesWithWebhook {
 protected:
  void SetUp() override {
    MovesWithWebhook::SetUp();
    scheduler_name_ = "default-scheduler";
    settings_.direct = true;
  }
  std::vector<std::string> own_rig() const override { return kWithKubeScheduler; }
};
INSTANTIATE_TEST_SUITE_P(Real, MovesWithKubeScheduler, testing::Values(Tier::Real));

TEST_P(MovesWithKubeScheduler, CoordinatedAndMakeBeforeBreakMovesReachTheirTargetThroughTheWebhook) {
  deploy("web", 3);
  deploy("solo", 1);
  start_migrator();
  start_webhook();
  for (int i = 0; i < 3; ++i) {
    for (const char* app : {"web", "solo"}) {
      const api::Pod pod = pods_of(app).front();
      const auto outcome = move(move_request_for(pod, other_node(pod.spec().node_name())));
      EXPECT_EQ(outcome.result, MoveResult::Succeeded) << app << ": " << outcome.message;
    }
  }
  // The target is not in the pod template, so it applies to one pod only.
  for (const api::Pod& pod : pods_of("web")) {
    EXPECT_EQ(pod.spec().scheduler_name(), "default-scheduler");
  }
  EXPECT_TRUE(eventually([&] { return leftovers().empty(); })) << testing::PrintToString(leftovers());
}

// A scheduling gate holds the copy until its node is nominated, so kube-scheduler cannot place it earlier.
TEST_P(MovesWithKubeScheduler, ABarePodLandsOnItsNominatedNode) {
  add_pod("bare", R"({"metadata": {"labels": {"app": "bare"}}, "spec": {"schedulerName": "default-scheduler"}})");
  ASSERT_FALSE(lands_on("bare").empty());
  start_migrator();
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(eventually([&] {
      const auto now = pods_of("bare");
      return now.size() == 1 && is_ready(now.front());
    }));
    const api::Pod pod = pods_of("bare").front();
    const std::string target = other_node(pod.spec().node_name());
    const auto outcome = move(move_request_for(pod, target));
    EXPECT_EQ(outcome.result, MoveResult::Succeeded) << outcome.message;
    EXPECT_EQ(node_of_pod(outcome.replacement), target);
  }
}

class RecoveryWithKubeScheduler : public RecoveryTest {
 protected:
  std::vector<std::string> own_rig() const override { return kWithKubeScheduler; }
};
INSTANTIATE_TEST_SUITE_P(Real, RecoveryWithKubeScheduler, testing::Values(Tier::Real));

TEST_P(RecoveryWithKubeScheduler, TheWebhooksNodeAffinityKeepsAPodOffTheNodesWhereItFailed) {
  const auto nodes = add_nodes(3);
  for (std::size_t i = 1; i < nodes.size(); ++i) patch_node(nodes[i], R"({"spec":{"unschedulable":true}})");
  auto settings = quick();
  settings.webhook.node_affinity = true;
  start_recovery(settings);
  auto deployment = failing_deployment("web", 1, "3", nodes[0] + "," + nodes[1]);
  deployment.mutable_spec()->mutable_template_()->mutable_spec()->set_scheduler_name("default-scheduler");
  create(deployment);
  ASSERT_TRUE(event_contains("web", "Rescheduled", "attempt 1 of 3, avoiding " + nodes[0]));
  patch_node(nodes[1], R"({"spec":{"unschedulable":false}})");
  ASSERT_TRUE(event_contains("web", "Rescheduled", "attempt 2 of 3, avoiding "));
  patch_node(nodes[2], R"({"spec":{"unschedulable":false}})");
  ASSERT_TRUE(eventually([&] {
    const auto live = live_pods();
    return live.size() == 1 && is_ready(live[0]) && live[0].spec().node_name() == nodes[2];
  }));
  const auto live = live_pods();
  ASSERT_EQ(live.size(), 1U);
  EXPECT_EQ(live[0]
                .spec()
                .affinity()
                .node_affinity()
                .required_during_scheduling_ignored_during_execution()
                .node_selector_terms_size(),
            1);
}

}  // namespace
}  // namespace rescheduler::test
