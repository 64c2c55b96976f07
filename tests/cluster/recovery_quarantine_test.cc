// A node on which pods of several workloads fail, and on no other node, gets no new pods for a while.
#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kube/proto/apps.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/events.pb.h"
#include "support/objects.h"
#include "support/recovery.h"

namespace rescheduler::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kTaint = "rescheduler.io/quarantine";

class RecoveryQuarantine : public RecoveryTest {
 protected:
  void start() {
    TestSchedulerSettings scheduler;
    scheduler.keeps_off_visited_nodes = true;
    start_scheduler(scheduler);
  }
  config::RecoverySettings in_mode(config::StrategyMode mode) const {
    auto settings = quick();
    settings.quarantine.mode = mode;
    return settings;
  }
  void cordon_all_but_first(const std::vector<std::string>& nodes, bool cordoned) {
    const std::string patch = cordoned ? R"({"spec":{"unschedulable":true}})" : R"({"spec":{"unschedulable":false}})";
    for (std::size_t i = 1; i < nodes.size(); ++i) patch_node(nodes[i], patch);
  }
  // Many retries: a pod can return to the node several times while the other nodes are cordoned.
  void add(const std::string& name, const std::string& crash_on, const std::string& retries = "9", int replicas = 1) {
    auto deployment = failing_deployment(name, replicas, retries, crash_on);
    auto& container = *deployment.mutable_spec()->mutable_template_()->mutable_spec()->mutable_containers(0);
    if (replicas > 1) {  // one pod per node
      auto& port = *container.add_ports();
      port.set_container_port(80);
      port.set_host_port(80);
    }
    (*deployment.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = name;
    (*deployment.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())["app"] = name;
    create(deployment);
  }
  // The effect of the taint; empty: no taint.
  std::string taint_of(const std::string& name) {
    auto node = await(client().get<api::Node>("", name));
    EXPECT_TRUE(node) << node.error().message;
    if (!node) return "?";
    const auto& taints = node->spec().taints();
    const auto found = std::ranges::find_if(taints, [](const api::Taint& taint) { return taint.key() == kTaint; });
    return found == taints.end() ? "" : found->effect();
  }
  std::vector<std::string> node_events(const std::string& node, const std::string& reason) {
    std::vector<std::string> notes;
    auto listed = await(client().list<api::Event>("default"));
    EXPECT_TRUE(listed) << listed.error().message;
    if (!listed) return notes;
    for (const auto& event : *listed) {
      if (event->regarding().name() == node && event->reason() == reason) notes.push_back(event->note());
    }
    return notes;
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(RecoveryQuarantine);

// Its own real cluster: quarantine changes any node of the cluster, also nodes of other tests.
class RecoveryQuarantineAlone : public RecoveryQuarantine {
 protected:
  std::vector<std::string> own_rig() const override {
    return {"--with", "etcd,kube-apiserver,kube-controller-manager,kwok"};
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(RecoveryQuarantineAlone);

TEST_P(RecoveryQuarantine, TheNextLeaderStillCountsFailuresThatThePreviousLeaderSawOnANode) {
  const auto nodes = add_nodes(3);
  start();
  cordon_all_but_first(nodes, true);
  auto& first = start_recovery(in_mode(config::StrategyMode::Act));
  for (const char* name : {"one", "two"}) add(name, nodes[0]);
  for (const char* name : {"one", "two"}) ASSERT_TRUE(event_contains(name, "Rescheduled", "attempt 1 of 9"));
  cordon_all_but_first(nodes, false);
  ASSERT_TRUE(all_ready(2)) << "both pods run on other nodes, so no failing pod shows the earlier failures";
  first.stop();
  cordon_all_but_first(nodes, true);
  start_recovery(in_mode(config::StrategyMode::Act));
  add("three", nodes[0]);
  ASSERT_TRUE(event_contains("three", "Rescheduled", "attempt 1 of 9"));
  cordon_all_but_first(nodes, false);
  EXPECT_TRUE(eventually([&] { return taint_of(nodes[0]) == "NoSchedule"; }));
}

TEST_P(RecoveryQuarantine, OnlyTheNodeWhereThreeOwnersFailIsQuarantined) {
  const auto nodes = add_nodes(20);
  start();
  cordon_all_but_first(nodes, true);
  start_recovery(in_mode(config::StrategyMode::Act));
  for (const char* name : {"one", "two", "three"}) add(name, nodes[0]);
  ASSERT_TRUE(eventually([&] {
    std::size_t there = 0;
    for (const api::Pod& pod : live_pods()) there += pod.spec().node_name() == nodes[0] ? 1 : 0;
    return there == 3;
  }));
  cordon_all_but_first(nodes, false);
  ASSERT_TRUE(eventually([&] { return taint_of(nodes[0]) == "NoSchedule"; }));
  ASSERT_TRUE(all_ready(3));
  for (std::size_t i = 1; i < nodes.size(); ++i) EXPECT_EQ(taint_of(nodes[i]), "") << nodes[i];
}

// Bad releases, and a workload that did not ask for recovery although it fails only on the node.
TEST_P(RecoveryQuarantineAlone, CrashingReleasesAndWorkloadsWithoutRetriesAreNoEvidenceAgainstANode) {
  const auto nodes = add_nodes(2);
  start();
  auto& recovery = start_recovery(in_mode(config::StrategyMode::Act));
  add("silent", nodes[0], "", 2);
  ASSERT_TRUE(eventually([&] {
    return std::ranges::count_if(live_pods(), [](const api::Pod& pod) { return !pod.spec().node_name().empty(); }) == 2;
  }));
  cordon_all_but_first(nodes, true);
  for (const char* name : {"one", "two"}) add(name, nodes[0]);
  for (const char* name : {"bad", "worse"}) add(name, "*", "1");
  for (const char* name : {"one", "two", "bad", "worse"}) {
    ASSERT_TRUE(event_contains(name, "Rescheduled", "attempt 1 of ")) << name;
  }
  cordon_all_but_first(nodes, false);
  for (const char* name : {"bad", "worse"}) {
    ASSERT_TRUE(eventually([&] {
      return !events(name, "ApplicationFault").empty() || !events(name, "RetriesExhausted").empty();
    })) << name;
  }
  // Now the healthy pods of the other two are evidence, and the third owner decides.
  cordon_all_but_first(nodes, true);
  EXPECT_EQ(taint_of(nodes[0]), "");
  add("three", nodes[0]);
  ASSERT_TRUE(event_contains("three", "Rescheduled", "attempt 1 of 9"));
  cordon_all_but_first(nodes, false);
  EXPECT_TRUE(eventually([&] { return taint_of(nodes[0]) == "NoSchedule"; }));
  ASSERT_TRUE(eventually([&] { return !node_events(nodes[0], "NodeQuarantined").empty(); }));
  const auto notes = node_events(nodes[0], "NodeQuarantined");
  EXPECT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], HasSubstr(fmt::format("pods of 3 different owners fail on the node: Deployment/{0}/one, "
                                              "Deployment/{0}/three, Deployment/{0}/two",
                                              ns())));
  EXPECT_TRUE(eventually(
      [&] { return recovery.metrics().find("rescheduler_recovery_quarantined_nodes 1") != std::string::npos; }));
}

TEST_P(RecoveryQuarantineAlone, ModeObserveReportsTheNodeAndTaintsNothing) {
  const auto nodes = add_nodes(3);
  start();
  cordon_all_but_first(nodes, true);
  auto& recovery = start_recovery(in_mode(config::StrategyMode::Observe));
  for (const char* name : {"one", "two", "three"}) add(name, nodes[0]);
  for (const char* name : {"one", "two", "three"}) ASSERT_TRUE(event_contains(name, "Rescheduled", "attempt 1 of 9"));
  cordon_all_but_first(nodes, false);
  ASSERT_TRUE(eventually([&] { return !node_events(nodes[0], "QuarantineObserved").empty(); }));
  const auto notes = node_events(nodes[0], "QuarantineObserved");
  EXPECT_THAT(notes[0],
              HasSubstr("not carried out, because quarantine only observes: quarantined: pods of 3 different"));
  EXPECT_THAT(recovery.metrics(), HasSubstr("rescheduler_recovery_observed_nodes 1"));
  EXPECT_THAT(recovery.metrics(), HasSubstr("rescheduler_recovery_quarantined_nodes 0"));
  EXPECT_EQ(recovery.status(), "mode act; quarantine observe: " + nodes[0]);
  for (const std::string& node : nodes) {
    EXPECT_EQ(taint_of(node), "") << node;
    EXPECT_THAT(node_events(node, "NodeQuarantined"), IsEmpty()) << node;
  }
}

TEST_P(RecoveryQuarantineAlone, ANewHealthyPodOnTheNodeEndsTheProbation) {
  const auto nodes = add_nodes(2);
  start();
  const std::string until = "2100-01-01T00:00:00Z";
  // As a leader leaves it: the quarantine is over, and the probation lasts for decades.
  patch_node(nodes[0], fmt::format(R"({{"metadata":{{"annotations":{{"{0}":"{{\"until\":\"{1}\",\"why\":\"x\"}}"}}}},
      "spec":{{"taints":[{{"key":"test","value":"{2}","effect":"NoSchedule"}},
      {{"key":"{0}","value":"probation","effect":"PreferNoSchedule"}}]}}}})",
                                   kTaint, until, ns()));
  ASSERT_EQ(taint_of(nodes[0]), "PreferNoSchedule");
  patch_node(nodes[1], R"({"spec":{"unschedulable":true}})");
  auto settings = in_mode(config::StrategyMode::Act);
  settings.quarantine.probation = std::chrono::hours{24 * 365 * 100};
  start_recovery(settings);
  add("web", "");
  EXPECT_TRUE(eventually([&] { return taint_of(nodes[0]).empty(); }));
  EXPECT_TRUE(eventually([&] { return !node_events(nodes[0], "NodeReleased").empty(); }));
  EXPECT_THAT(node_events(nodes[0], "NodeReleased").at(0), HasSubstr("a new pod is healthy on the node"));
}

TEST_P(RecoveryQuarantineAlone, ATaintOfAnEarlierModeActIsRemovedWhenItExpires) {
  const auto nodes = add_nodes(1);
  start();
  patch_node(nodes[0], fmt::format(R"({{"spec":{{"taints":[{{"key":"test","value":"{1}","effect":"NoSchedule"}},
      {{"key":"{0}","value":"quarantined","effect":"NoSchedule"}}]}}}})",
                                   kTaint, ns()));
  start_recovery(in_mode(config::StrategyMode::Off));
  EXPECT_TRUE(eventually([&] { return taint_of(nodes[0]).empty(); }));
}

}  // namespace
}  // namespace rescheduler::test
