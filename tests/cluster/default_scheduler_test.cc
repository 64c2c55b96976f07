// Pods that the real kube-scheduler placed are moved and recovered too. kube-scheduler gets the target node through
// fields of its own API.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/migrator.h"
#include "support/recovery.h"

namespace rescheduler::test {
namespace {

using migration::MoveResult;

const std::vector<std::string> kWithKubeScheduler{"--with",
                                                  "etcd,kube-apiserver,kube-controller-manager,kube-scheduler,kwok"};

class MovesWithKubeScheduler : public MigrationTest {
 protected:
  void SetUp() override {
    MigrationTest::SetUp();
    scheduler_name_ = "default-scheduler";
    settings_.direct = true;
  }
  void TearDown() override {
    webhook_.reset();
    MigrationTest::TearDown();
  }
  std::vector<std::string> own_rig() const override { return kWithKubeScheduler; }
  // The webhook reads the targets of the MigrationController, as in the daemon.
  void start_webhook() {
    TestRecoverySettings settings;
    settings.ns = ns();
    settings.intents = [this](const api::Pod& pod) { return migrator().intent_for(pod); };
    webhook_ = std::make_unique<TestRecovery>(cluster(), std::move(settings));
  }

  std::unique_ptr<TestRecovery> webhook_;
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
