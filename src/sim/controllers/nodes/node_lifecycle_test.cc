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

api::Pod pod_that_waits(const std::string& name, int how_long = 300) {
  api::Pod pod = testing::make_pod(name);
  for (const std::string_view key : {kNotReady, kUnreachable}) {
    api::Toleration& toleration = *pod.mutable_spec()->add_tolerations();
    toleration.set_key(std::string(key));
    toleration.set_operator_("Exists");
    toleration.set_effect("NoExecute");
    toleration.set_toleration_seconds(how_long);
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

TEST_F(NodeLifecycleTest, ADeadNodesTimeline) {
  start();
  for (int i = 1; i <= 3; ++i) rig.add_node("n" + std::to_string(i));
  rig.add_pod(pod_that_waits("a"), "n1");
  rig.add_pod(pod_that_waits("b"), "n2");
  rig.pass(minutes{2});
  EXPECT_EQ(ready("n1"), "True");
  EXPECT_EQ(rig.taints("n1"), Taints{});

  rig.kill_node("n1");
  rig.pass(seconds{40});
  EXPECT_EQ(ready("n1"), "True") << "still within the grace period";
  EXPECT_TRUE(is_ready(*rig.pod("a")));
  ASSERT_TRUE(rig.eventually([&] { return ready("n1") == "Unknown"; }, seconds{30}));
  EXPECT_FALSE(is_ready(*rig.pod("a"))) << "its Ready condition falls with the node's";
  EXPECT_EQ(rig.pod("a")->status().phase(), "Running") << "nothing else of it is touched";
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

TEST_F(NodeLifecycleTest, ANodeThatComesBackInTimeKeepsItsPods) {
  start();
  for (int i = 1; i <= 3; ++i) rig.add_node("n" + std::to_string(i));
  rig.add_pod(pod_that_waits("a"), "n1");
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

TEST_F(NodeLifecycleTest, ANodeThatNeverReportsIsDeclaredUnknown) {
  start();
  rig.add_node("n1");
  (void)rig.server.create(testing::make_node("silent")).value();
  rig.pass(seconds{55});
  EXPECT_EQ(ready("silent"), "none");
  rig.pass(seconds{15});
  EXPECT_EQ(ready("silent"), "Unknown");
  EXPECT_EQ(rig.node("silent")->status().conditions(0).reason(), "NodeStatusNeverUpdated");
}

TEST_F(NodeLifecycleTest, ConditionsAndCordoningBecomeTaintsAndGoAgain) {
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

TEST_F(NodeLifecycleTest, NodesAreGivenUpOneInTenSeconds) {
  start();
  for (int i = 0; i < 10; ++i) rig.add_node("n" + std::to_string(i));
  rig.pass(minutes{1});
  for (int i = 0; i < 4; ++i) rig.kill_node("n" + std::to_string(i));
  const auto given_up = [&] {
    int sum = 0;
    for (int i = 0; i < 10; ++i) sum += tainted("n" + std::to_string(i)) ? 1 : 0;
    return sum;
  };
  ASSERT_TRUE(rig.eventually([&] { return given_up() == 1; }, minutes{2}));
  rig.pass(seconds{9});
  EXPECT_EQ(given_up(), 1);
  rig.pass(seconds{2});
  EXPECT_EQ(given_up(), 2);
  rig.pass(seconds{20});
  EXPECT_EQ(given_up(), 4);
}

TEST_F(NodeLifecycleTest, ASmallZoneThatIsMostlyDownIsLeftAlone) {
  start();
  for (int i = 0; i < 10; ++i) rig.add_node("a" + std::to_string(i), "za");
  for (int i = 0; i < 4; ++i) rig.add_node("b" + std::to_string(i), "zb");
  rig.pass(minutes{1});
  for (int i = 0; i < 6; ++i) rig.kill_node("a" + std::to_string(i));
  rig.kill_node("b0");
  rig.pass(minutes{10});
  EXPECT_EQ(ready("a0"), "Unknown");
  EXPECT_TRUE(tainted("b0")) << "one of four is an ordinary failure";
  int given_up = 0;
  for (int i = 0; i < 6; ++i) given_up += tainted("a" + std::to_string(i)) ? 1 : 0;
  EXPECT_LE(given_up, 1) << "at most the one that was taken before the brake was on";
}

TEST_F(NodeLifecycleTest, WhenNobodyAnswersNothingIsGivenUp) {
  start();
  for (int i = 1; i <= 4; ++i) rig.add_node("n" + std::to_string(i));
  rig.add_pod(pod_that_waits("a"), "n1");
  rig.pass(minutes{1});
  for (int i = 1; i <= 4; ++i) rig.kill_node("n" + std::to_string(i));
  rig.pass(minutes{20});
  for (int i = 1; i <= 4; ++i) {
    EXPECT_EQ(ready("n" + std::to_string(i)), "Unknown");
    EXPECT_FALSE(tainted("n" + std::to_string(i)));
  }
  EXPECT_FALSE(rig.pod("a")->metadata().has_deletion_timestamp());
  for (int i = 2; i <= 4; ++i) rig.revive_node("n" + std::to_string(i));
  ASSERT_TRUE(rig.eventually([&] { return tainted("n1"); }, minutes{3})) << "the one that stays away";
}

TEST(ZoneDisruption, StatesAndRatesFollowTheTable) {
  const NodeLifecycleSettings settings;
  EXPECT_EQ(zone_state(0, 1, settings), ZoneState::FullDisruption);
  EXPECT_EQ(zone_state(0, 0, settings), ZoneState::Normal);
  EXPECT_EQ(zone_state(1, 2, settings), ZoneState::Normal) << "two are too few to be a disruption";
  EXPECT_EQ(zone_state(9, 11, settings), ZoneState::PartialDisruption) << "exactly 55 %";
  EXPECT_EQ(zone_state(46, 54, settings), ZoneState::Normal);
  EXPECT_EQ(eviction_rate(ZoneState::Normal, 10, settings), 0.1);
  EXPECT_EQ(eviction_rate(ZoneState::FullDisruption, 10, settings), 0.1);
  EXPECT_EQ(eviction_rate(ZoneState::PartialDisruption, 50, settings), 0);
  EXPECT_EQ(eviction_rate(ZoneState::PartialDisruption, 51, settings), 0.01);
}

TEST_F(NodeLifecycleTest, ATaintThatIsNotToleratedTakesPodsAtOnce) {
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
  EXPECT_FALSE(rig.pod("late")) << "pods bound to a tainted node are seen, too";
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
  EXPECT_EQ(may_stay(one, spec.tolerations()), seconds{0}) << "another value";
  add("k", "", "v", 60);
  EXPECT_EQ(may_stay(one, spec.tolerations()), seconds{60});
  add("", "Exists", "", 10);
  EXPECT_EQ(may_stay(one, spec.tolerations()), seconds{60});
  EXPECT_EQ(may_stay({{"k", "v", "NoExecute"}, {"z", "", "NoExecute"}}, spec.tolerations()), seconds{10});
  api::PodSpec forever;
  forever.add_tolerations()->set_operator_("Exists");
  EXPECT_EQ(may_stay(one, forever.tolerations()), std::nullopt);
}

TEST_F(NodeLifecycleTest, PodsOfANodeThatIsGoneAreRemovedAfterAQuarantine) {
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

TEST_F(NodeLifecycleTest, TheOldestFinishedPodsGoWhenThereAreTooMany) {
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
