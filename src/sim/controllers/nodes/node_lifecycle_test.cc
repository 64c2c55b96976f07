#include "sim/controllers/nodes/node_lifecycle.h"

#include <gtest/gtest.h>

#include "sim/controllers/garbage/pod_cleanup.h"
#include "sim/controllers/nodes/lifecycle_rig.h"
#include "sim/controllers/nodes/taint_eviction.h"

namespace rescheduler::sim {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::LifecycleRig;
using Taints = std::vector<std::string>;

api::Pod tolerant_pod(const std::string& name, int toleration_seconds = 300) {
  api::Pod pod = testing::make_pod(name);
  for (const std::string_view key : {kNotReady, kUnreachable}) {
    api::Toleration& toleration = *pod.mutable_spec()->add_tolerations();
    toleration.set_key(std::string(key));
    toleration.set_operator_("Exists");
    toleration.set_effect("NoExecute");
    toleration.set_toleration_seconds(toleration_seconds);
  }
  return pod;
}

class NodeLifecycleTest : public ::testing::Test {
 protected:
  LifecycleRig rig;

  void start() {
    rig.run<NodeLifecycleController>();
    rig.run<TaintEvictionController>();
    rig.run<PodCleanup>();
    rig.run_kubelets();
  }
  std::string ready(const std::string& node) {
    const auto found = rig.node(node);
    for (const auto& condition : found->status().conditions()) {
      if (condition.type() == "Ready") return condition.status();
    }
    return "none";
  }
  bool tainted(const std::string& node) {
    const Taints taints = rig.taints(node);
    return std::ranges::find(taints, "node.kubernetes.io/unreachable:NoExecute") != taints.end();
  }
};

TEST_F(NodeLifecycleTest, ADeadNodeIsTaintedAndItsPodsAreDeletedAfterTheirTolerationTime) {
  start();
  for (int i = 1; i <= 3; ++i) rig.add_node("n" + std::to_string(i));
  rig.add_pod(tolerant_pod("a"), "n1");
  rig.add_pod(tolerant_pod("b"), "n2");
  rig.pass(minutes{2});
  EXPECT_EQ(ready("n1"), "True");
  EXPECT_EQ(rig.taints("n1"), Taints{});

  rig.kill_node("n1");
  rig.pass(seconds{40});
  EXPECT_EQ(ready("n1"), "True") << "still within the grace period";
  EXPECT_TRUE(is_ready(*rig.pod("a")));
  ASSERT_TRUE(rig.eventually([&] { return ready("n1") == "Unknown"; }, seconds{30}));
  EXPECT_FALSE(is_ready(*rig.pod("a"))) << "the Ready condition of the pod becomes False with that of the node";
  EXPECT_EQ(rig.pod("a")->status().phase(), "Running") << "the rest of the pod status stays unchanged";
  rig.pass(seconds{1});
  EXPECT_EQ(rig.taints("n1"),
            (Taints{"node.kubernetes.io/unreachable:NoExecute", "node.kubernetes.io/unreachable:NoSchedule"}));
  EXPECT_EQ(rig.taints("n2"), Taints{});

  rig.pass(seconds{295});
  EXPECT_FALSE(rig.pod("a")->metadata().has_deletion_timestamp()) << "tolerated for five minutes";
  rig.pass(seconds{10});
  ASSERT_TRUE(rig.pod("a")) << "no kubelet confirms the end of the pod";
  EXPECT_TRUE(rig.pod("a")->metadata().has_deletion_timestamp());
  EXPECT_EQ(find_condition(rig.pod("a")->status(), "DisruptionTarget")->reason(), "DeletionByTaintManager");
  EXPECT_FALSE(rig.pod("b")->metadata().has_deletion_timestamp());
  rig.pass(minutes{10});
  EXPECT_TRUE(rig.pod("a")) << "the pod stays until the node has the out-of-service taint";

  const auto declared = rig.server.modify<api::Node>("", "n1", [](api::Node& node) {
    api::Taint& taint = *node.mutable_spec()->add_taints();
    taint.set_key(std::string(kOutOfService));
    taint.set_value("nodeshutdown");
    taint.set_effect("NoExecute");
  });
  ASSERT_TRUE(declared);
  rig.pass(seconds{41});
  EXPECT_FALSE(rig.pod("a"));
}

TEST_F(NodeLifecycleTest, ANodeThatRecoversWithinTheTolerationTimeKeepsItsPods) {
  start();
  for (int i = 1; i <= 3; ++i) rig.add_node("n" + std::to_string(i));
  rig.add_pod(tolerant_pod("a"), "n1");
  rig.pass(minutes{1});
  rig.kill_node("n1");
  ASSERT_TRUE(rig.eventually([&] { return tainted("n1"); }, minutes{2}));
  rig.pass(minutes{3});
  rig.revive_node("n1");
  rig.pass(seconds{20});
  EXPECT_EQ(ready("n1"), "True");
  EXPECT_EQ(rig.taints("n1"), Taints{});
  rig.pass(minutes{20});
  EXPECT_FALSE(rig.pod("a")->metadata().has_deletion_timestamp());
}

TEST_F(NodeLifecycleTest, ATaintEvictionDoesNotDeleteALaterPodOfTheSameName) {
  start();
  for (const char* name : {"n1", "n2", "n3"}) rig.add_node(name);
  rig.add_pod(tolerant_pod("db-0"), "n1");
  rig.kill_node("n1");
  ASSERT_TRUE(rig.eventually([&] { return tainted("n1"); }, minutes{2}));
  rig.pass(seconds{100});
  api::DeleteOptions at_once;
  at_once.set_grace_period_seconds(0);
  ASSERT_TRUE(rig.server.remove(rig.server.kinds().of<api::Pod>(), "shop", "db-0", at_once));
  rig.add_pod(tolerant_pod("db-0"), "n2");
  rig.pass(minutes{10});
  ASSERT_TRUE(rig.pod("db-0"));
  EXPECT_FALSE(rig.pod("db-0")->metadata().has_deletion_timestamp());
}

TEST_F(NodeLifecycleTest, ANodeThatNeverReportsItsStatusBecomesUnknown) {
  start();
  rig.add_node("n1");
  (void)rig.server.create(testing::make_node("silent")).value();
  rig.pass(seconds{55});
  EXPECT_EQ(ready("silent"), "none");
  rig.pass(seconds{15});
  EXPECT_EQ(ready("silent"), "Unknown");
  EXPECT_EQ(rig.node("silent")->status().conditions(0).reason(), "NodeStatusNeverUpdated");
}

TEST_F(NodeLifecycleTest, CordonAndMemoryPressureAddTaintsAndUncordonRemovesTheTaint) {
  start();
  rig.add_node("n1");
  rig.add_node("n2");
  const auto cordon = [this](bool on) {
    const auto done =
        rig.server.modify<api::Node>("", "n1", [on](api::Node& node) { node.mutable_spec()->set_unschedulable(on); });
    ASSERT_TRUE(done);
    rig.pass(seconds{1});
  };
  cordon(true);
  EXPECT_EQ(rig.taints("n1"), Taints{"node.kubernetes.io/unschedulable:NoSchedule"});
  cordon(false);
  EXPECT_EQ(rig.taints("n1"), Taints{});
  const auto pressed = rig.server.modify_status<api::Node>("", "n1", [](api::Node& node) {
    api::NodeCondition& condition = *node.mutable_status()->add_conditions();
    condition.set_type("MemoryPressure");
    condition.set_status("True");
  });
  ASSERT_TRUE(pressed);
  rig.pass(seconds{1});
  EXPECT_EQ(rig.taints("n1"), Taints{"node.kubernetes.io/memory-pressure:NoSchedule"});
}

TEST_F(NodeLifecycleTest, UnreachableNodesAreTaintedAtARateOfOnePerTenSeconds) {
  start();
  for (int i = 0; i < 10; ++i) rig.add_node("n" + std::to_string(i));
  rig.pass(minutes{1});
  for (int i = 0; i < 4; ++i) rig.kill_node("n" + std::to_string(i));
  const auto tainted_nodes = [&] {
    int sum = 0;
    for (int i = 0; i < 10; ++i) sum += tainted("n" + std::to_string(i)) ? 1 : 0;
    return sum;
  };
  ASSERT_TRUE(rig.eventually([&] { return tainted_nodes() == 1; }, minutes{2}));
  rig.pass(seconds{9});
  EXPECT_EQ(tainted_nodes(), 1);
  rig.pass(seconds{2});
  EXPECT_EQ(tainted_nodes(), 2);
  rig.pass(seconds{20});
  EXPECT_EQ(tainted_nodes(), 4);
}

TEST_F(NodeLifecycleTest, NodesOfASmallPartiallyDisruptedZoneAreNotTainted) {
  start();
  for (int i = 0; i < 10; ++i) rig.add_node("a" + std::to_string(i), "za");
  for (int i = 0; i < 4; ++i) rig.add_node("b" + std::to_string(i), "zb");
  rig.pass(minutes{1});
  for (int i = 0; i < 6; ++i) rig.kill_node("a" + std::to_string(i));
  rig.kill_node("b0");
  rig.pass(minutes{10});
  EXPECT_EQ(ready("a0"), "Unknown");
  EXPECT_TRUE(tainted("b0")) << "one of four is an ordinary failure";
  int tainted_nodes = 0;
  for (int i = 0; i < 6; ++i) tainted_nodes += tainted("a" + std::to_string(i)) ? 1 : 0;
  EXPECT_LE(tainted_nodes, 1) << "at most the node that was tainted before the zone counted as disrupted";
}

TEST_F(NodeLifecycleTest, NoNodeIsTaintedAndNoPodIsDeletedWhileAllNodesAreUnreachable) {
  start();
  for (int i = 1; i <= 4; ++i) rig.add_node("n" + std::to_string(i));
  rig.add_pod(tolerant_pod("a"), "n1");
  rig.pass(minutes{1});
  for (int i = 1; i <= 4; ++i) rig.kill_node("n" + std::to_string(i));
  rig.pass(minutes{20});
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(ready("n" + std::to_string(i)), "Unknown");
    EXPECT_FALSE(tainted("n" + std::to_string(i)));
  }
  EXPECT_FALSE(rig.pod("a")->metadata().has_deletion_timestamp());
  for (int i = 2; i <= 4; ++i) rig.revive_node("n" + std::to_string(i));
  ASSERT_TRUE(rig.eventually([&] { return tainted("n1"); }, minutes{3})) << "the node that stays unreachable";
}

TEST(ZoneDisruption, ZoneStatesAndEvictionRatesFollowTheThresholds) {
  const NodeLifecycleSettings settings;
  EXPECT_EQ(zone_state(0, 1, settings), ZoneState::FullDisruption);
  EXPECT_EQ(zone_state(0, 0, settings), ZoneState::Normal);
  EXPECT_EQ(zone_state(1, 2, settings), ZoneState::Normal) << "two unready nodes are too few for a disruption";
  EXPECT_EQ(zone_state(9, 11, settings), ZoneState::PartialDisruption) << "exactly 55 %";
  EXPECT_EQ(zone_state(46, 54, settings), ZoneState::Normal);
  EXPECT_EQ(eviction_rate(ZoneState::Normal, 10, settings), 0.1);
  EXPECT_EQ(eviction_rate(ZoneState::FullDisruption, 10, settings), 0.1);
  EXPECT_EQ(eviction_rate(ZoneState::PartialDisruption, 50, settings), 0);
  EXPECT_EQ(eviction_rate(ZoneState::PartialDisruption, 51, settings), 0.01);
}

TEST_F(NodeLifecycleTest, ANoExecuteTaintDeletesPodsWithoutAMatchingTolerationImmediately) {
  start();
  rig.add_node("n1");
  rig.add_pod(testing::make_pod("a"), "n1");
  api::Pod stays = testing::make_pod("stays");
  stays.mutable_spec()->add_tolerations()->set_operator_("Exists");
  rig.add_pod(stays, "n1");
  const auto tainted_by_hand = rig.server.modify<api::Node>("", "n1", [](api::Node& node) {
    api::Taint& taint = *node.mutable_spec()->add_taints();
    taint.set_key("example.com/out");
    taint.set_effect("NoExecute");
  });
  ASSERT_TRUE(tainted_by_hand);
  rig.pass(seconds{2});
  EXPECT_FALSE(rig.pod("a"));
  EXPECT_TRUE(rig.pod("stays"));
  rig.add_pod(testing::make_pod("late"), "n1");
  rig.pass(seconds{2});
  EXPECT_FALSE(rig.pod("late")) << "pods that are bound to a tainted node later are deleted, too";
}

TEST(TaintMath, TheFirstMatchingTolerationCountsAndTheShortestTimeWins) {
  api::PodSpec spec;
  const auto add = [&spec](const char* key, const char* op, const char* value, int stay) {
    api::Toleration& toleration = *spec.add_tolerations();
    toleration.set_key(key);
    toleration.set_operator_(op);
    toleration.set_value(value);
    if (stay >= 0) toleration.set_toleration_seconds(stay);
  };
  const std::vector<TaintText> one{{"k", "v", "NoExecute"}};
  EXPECT_EQ(may_stay(one, spec.tolerations()), seconds{0});
  add("k", "Equal", "other", -1);
  EXPECT_EQ(may_stay(one, spec.tolerations()), seconds{0}) << "the toleration has another value";
  add("k", "", "v", 60);
  EXPECT_EQ(may_stay(one, spec.tolerations()), seconds{60});
  add("", "Exists", "", 10);
  EXPECT_EQ(may_stay(one, spec.tolerations()), seconds{60});
  EXPECT_EQ(may_stay({{"k", "v", "NoExecute"}, {"z", "", "NoExecute"}}, spec.tolerations()), seconds{10});
  api::PodSpec forever;
  forever.add_tolerations()->set_operator_("Exists");
  EXPECT_EQ(may_stay(one, forever.tolerations()), std::nullopt);
}

TEST_F(NodeLifecycleTest, PodsOfADeletedNodeAreRemovedAfterAQuarantineTime) {
  start();
  rig.add_node("n1");
  rig.add_node("n2");
  rig.add_pod(testing::make_pod("a"), "n1");
  rig.add_pod(testing::make_pod("b"), "n2");
  rig.pass(seconds{1});
  rig.kill_node("n1");
  ASSERT_TRUE(rig.server.remove(rig.server.kinds().of<api::Node>(), "", "n1", {}));
  rig.pass(seconds{40});
  EXPECT_TRUE(rig.pod("a"));
  rig.pass(seconds{41});
  EXPECT_FALSE(rig.pod("a"));
  EXPECT_TRUE(rig.pod("b"));
}

TEST_F(NodeLifecycleTest, TheOldestFinishedPodsAboveTheLimitAreDeleted) {
  rig.run<PodCleanup>(PodCleanupSettings{.most_finished = 2});
  rig.add_node("n1");
  for (int i = 0; i < 4; ++i) {
    rig.add_pod(testing::make_pod("p" + std::to_string(i)), "n1", "Succeeded", false);
    rig.pass(seconds{1});
  }
  rig.pass(seconds{30});
  EXPECT_FALSE(rig.pod("p0"));
  EXPECT_FALSE(rig.pod("p1"));
  EXPECT_TRUE(rig.pod("p2"));
  EXPECT_TRUE(rig.pod("p3"));
}

}  // namespace
}  // namespace rescheduler::sim
