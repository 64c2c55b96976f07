// Nodes that are labelled for maintenance are drained, and uncordoned when the label is removed.
#include "rescheduling/loop/maintenance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/policy.pb.h"
#include "support/rescheduler.h"

namespace rescheduler::test {
namespace {

constexpr int kReplicas = 4;
constexpr const char* kLabelled = R"({"metadata": {"labels": {"scheduler.alpha.kubernetes.io/maintenance": "true"}}})";
constexpr const char* kNotLabelled = R"({"metadata": {"labels": {"scheduler.alpha.kubernetes.io/maintenance": null}}})";

class NodeMaintenanceTest : public ReschedulingTest {
 protected:
  void settle(std::string_view differs = "{}",
              const std::function<void(config::ReschedulingSettings&)>& change = nullptr) {
    for (const char* suffix : {"a", "b", "c"}) measured_.push_back(add_node(suffix));
    measure(per_pod_);
    auto args = fast_settings();
    args.rescheduling.enabled_strategies = {};  // NodeMaintenance needs no entry
    if (change) change(args.rescheduling);
    start(args);
    deploy("web", kReplicas, differs);
    ASSERT_TRUE(eventually_measured([&] { return all_ready("web", kReplicas); }));
    const auto counts = spread("web");
    ASSERT_FALSE(counts.empty());
    node_ = counts.begin()->first;
  }
  api::Node node(const std::string& name) { return await(client().get<api::Node>("", name)).value(); }
  bool is_empty(const std::string& name) { return !spread("web").contains(name) && all_ready("web", kReplicas); }
  std::string annotation(const std::string& name, std::string_view key) {
    const api::Node seen = node(name);
    const auto found = seen.metadata().annotations().find(std::string(key));
    return found == seen.metadata().annotations().end() ? "" : found->second;
  }
  std::string cordoned_by(const std::string& name) { return annotation(name, rescheduling::kCordonedByKey); }
  std::string drain_status(const std::string& name) { return annotation(name, rescheduling::kDrainStatusKey); }

  void set_condition(const std::string& name, const std::string& type, const std::string& status) {
    const std::string patch = fmt::format(
        R"({{"status": {{"conditions": [{{"type": "{}", "status": "{}", "reason": "Test", "message": "by a test"}}]}}}})",
        type, status);
    kube::PatchOptions options;
    options.kind = kube::PatchKind::StrategicMerge;
    options.subresource = "status";
    auto done = await(client().patch<api::Node>("", name, patch, options));
    ASSERT_TRUE(done) << done.error().message;
  }
  std::string condition(const std::string& name, const std::string& type) {
    const api::Node seen = node(name);
    for (const api::NodeCondition& one : seen.status().conditions()) {
      if (one.type() == type) return one.status();
    }
    return "";
  }

  std::string node_;  // a node with pods
};
RESCHEDULER_ON_EVERY_CLUSTER(NodeMaintenanceTest);

TEST_P(NodeMaintenanceTest, ALabelledNodeIsCordonedAndDrainedAndLaterUncordoned) {
  settle();
  patch_node(node_, kLabelled);
  EXPECT_TRUE(eventually_measured([&] { return is_empty(node_); })) << testing::PrintToString(spread("web"));
  EXPECT_TRUE(node(node_).spec().unschedulable());
  EXPECT_EQ(cordoned_by(node_), "rescheduler-scheduler");
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceStarted"));
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceDrained"));
  EXPECT_TRUE(eventually([&] { return drain_status(node_) == "drained"; })) << drain_status(node_);
  EXPECT_TRUE(
      eventually([&] { return rescheduler().metric("rescheduler_maintenance_progress_percent", node_) == 100; }));

  patch_node(node_, kNotLabelled);
  EXPECT_TRUE(eventually([&] { return !node(node_).spec().unschedulable() && cordoned_by(node_).empty(); }));
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceEnded"));
  EXPECT_EQ(drain_status(node_), "") << "removed together with the cordon";
}

TEST_P(NodeMaintenanceTest, ALabelIsRefusedWithAnEventIfNodeMaintenanceIsOff) {
  settle("{}", [](config::ReschedulingSettings& settings) {
    settings.modes[config::Strategy::NodeMaintenance] = config::StrategyMode::Off;
  });
  patch_node(node_, kLabelled);
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceRefused"));
  EXPECT_FALSE(node(node_).spec().unschedulable());
  EXPECT_EQ(rescheduler().evictions(), 0);
}

constexpr const char* kEmptyDir =
    R"({"spec": {"template": {"spec": {"volumes": [{"name": "cache", "emptyDir": {}}]}}}})";

TEST_P(NodeMaintenanceTest, PodsWithLocalStorageLeaveOnlyAfterTheNodeAllowsIt) {
  settle(kEmptyDir);
  patch_node(node_, kLabelled);
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceBlocked"));
  EXPECT_TRUE(eventually([&] {
    return drain_status(node_).find("rescheduler.io/drain-allows: local-storage") != std::string::npos;
  })) << drain_status(node_);
  EXPECT_TRUE(node(node_).spec().unschedulable());
  EXPECT_EQ(rescheduler().evictions(), 0);
  patch_node(node_, R"({"metadata": {"annotations": {"rescheduler.io/drain-allows": "local-storage"}}})");
  EXPECT_TRUE(eventually_measured([&] { return is_empty(node_); })) << testing::PrintToString(spread("web"));
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceDrained"));
}

TEST_P(NodeMaintenanceTest, ANodeIsDrainedWhenOnlyPodsAreLeftThatThePolicyLeaves) {
  settle(kEmptyDir, [](config::ReschedulingSettings& settings) {
    settings.maintenance.pods.local_storage = config::DrainPolicy::Leave;
  });
  const auto before = uids("web");
  patch_node(node_, kLabelled);
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceDrained"));
  EXPECT_TRUE(eventually([&] { return drain_status(node_).starts_with("drained; left on the node: "); }))
      << drain_status(node_);
  EXPECT_EQ(uids("web"), before);
}

TEST_P(NodeMaintenanceTest, ProtectionsOfTheProductionExampleDoNotKeepPodsOnTheNode) {
  settle("{}", [](config::ReschedulingSettings& settings) {
    settings.protections.without_budget = true;
    settings.protections.claims = true;
  });
  patch_node(node_, kLabelled);
  EXPECT_TRUE(eventually_measured([&] { return is_empty(node_); })) << testing::PrintToString(spread("web"));
}

TEST_P(NodeMaintenanceTest, APodWithoutATargetDoesNotKeepTheOthersOnTheNode) {
  settle();
  // Fits only on the node that is drained.
  patch_node(node_, R"({"metadata": {"labels": {"only": "here"}}})");
  deploy("tied", 1, R"({"spec": {"template": {"spec": {"nodeSelector": {"only": "here"}}}}})");
  ASSERT_TRUE(eventually_measured([&] { return all_ready("tied", 1); }));
  patch_node(node_, kLabelled);
  EXPECT_TRUE(eventually_measured([&] { return is_empty(node_); })) << testing::PrintToString(spread("web"));
  EXPECT_TRUE(node(node_).spec().unschedulable());
  EXPECT_TRUE(eventually([&] { return drain_status(node_).starts_with("blocked: "); })) << drain_status(node_);
  EXPECT_EQ(spread("tied"), (std::map<std::string, int>{{node_, 1}}));
}

TEST_P(NodeMaintenanceTest, ANodeThatWasCordonedBeforeMaintenanceStaysCordonedAfterwards) {
  settle();
  patch_node(node_, R"({"spec": {"unschedulable": true}})");
  patch_node(node_, kLabelled);
  EXPECT_TRUE(eventually_measured([&] { return is_empty(node_); })) << testing::PrintToString(spread("web"));
  patch_node(node_, kNotLabelled);
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceEnded"));
  EXPECT_TRUE(node(node_).spec().unschedulable());
}

TEST_P(NodeMaintenanceTest, PodsThatOptOutAreNotEvictedAndTheNodeGetsAMaintenanceBlockedEvent) {
  settle(R"({"metadata": {"annotations": {"rescheduler.io/rescheduling": "disabled"}}})");
  const auto before = uids("web");
  patch_node(node_, kLabelled);
  EXPECT_TRUE(has_event_about("Node", node_, "MaintenanceBlocked"));
  EXPECT_EQ(rescheduler().evictions(), 0);
  EXPECT_EQ(uids("web"), before);
}

TEST_P(NodeMaintenanceTest, ADrainRespectsThePodDisruptionBudget) {
  settle();
  api::PodDisruptionBudget budget;
  budget.mutable_metadata()->set_namespace_(ns());
  budget.mutable_metadata()->set_name("web");
  (*budget.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
  budget.mutable_spec()->mutable_max_unavailable()->set_type(0);
  budget.mutable_spec()->mutable_max_unavailable()->set_int_val(1);
  create(budget);
  patch_node(node_, kLabelled);
  int fewest = kReplicas;
  EXPECT_TRUE(eventually_measured([&] {
    int ready = 0;
    for (const auto& [name, count] : spread("web")) ready += count;
    fewest = std::min(fewest, ready);
    return is_empty(node_);
  })) << testing::PrintToString(spread("web"));
  EXPECT_GE(fewest, kReplicas - 1);
}

// --- Lifecycle conditions of Kubernetes 1.37, on nodes that have them. ---

TEST_P(NodeMaintenanceTest, TheNodesLifecycleConditionsFollowTheDrainAndItsEnd) {
  settle();
  set_condition(node_, "MaintenancePlanned", "True");
  patch_node(node_, kLabelled);
  EXPECT_TRUE(eventually_measured([&] { return condition(node_, "Drained") == "True"; }));
  EXPECT_TRUE(eventually([&] { return condition(node_, "DrainInProgress") == "False"; }));
  EXPECT_EQ(condition(node_, "MaintenancePlanned"), "True") << "a condition that another client wrote stays";
  EXPECT_TRUE(eventually_measured([&] { return is_empty(node_); })) << testing::PrintToString(spread("web"));
  patch_node(node_, kNotLabelled);
  EXPECT_TRUE(eventually([&] { return !node(node_).spec().unschedulable() && cordoned_by(node_).empty(); }));
  EXPECT_TRUE(eventually([&] { return condition(node_, "Drained") == "False"; })) << "the node is uncordoned";
}

TEST_P(NodeMaintenanceTest, RemovingTheLabelDuringADrainResetsTheDrainConditionAndUncordons) {
  settle(R"({"metadata": {"annotations": {"rescheduler.io/rescheduling": "disabled"}}})");  // opt-out: no pod is moved
  set_condition(node_, "MaintenancePlanned", "True");
  patch_node(node_, kLabelled);
  EXPECT_TRUE(eventually_measured([&] { return condition(node_, "DrainInProgress") == "True"; }));
  patch_node(node_, kNotLabelled);
  EXPECT_TRUE(eventually([&] { return !node(node_).spec().unschedulable() && cordoned_by(node_).empty(); }));
  EXPECT_TRUE(eventually([&] { return condition(node_, "DrainInProgress") == "False"; }))
      << "otherwise the node would stay excluded";
}

TEST_P(NodeMaintenanceTest, ANodeWhoseConditionSaysThatAnotherClientDrainsItIsNotATarget) {
  settle();
  std::string other;
  for (const std::string& name : measured_) {
    if (name != node_) other = name;
  }
  const int before = spread("web")[other];
  set_condition(other, "DrainInProgress", "True");
  patch_node(node_, kLabelled);
  EXPECT_TRUE(eventually_measured([&] { return is_empty(node_); })) << testing::PrintToString(spread("web"));
  EXPECT_LE(spread("web")[other], before);
  EXPECT_EQ(condition(other, "DrainInProgress"), "True") << "only the client that set the condition resets it";
}

}  // namespace
}  // namespace rescheduler::test
