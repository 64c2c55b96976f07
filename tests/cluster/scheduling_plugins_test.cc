// The scheduler on a cluster: each filter plugin rejects a node for a pod that fits on another node.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "support/objects.h"
#include "support/scheduler.h"

namespace rescheduler::test {
namespace {

// The messages of the two PostFilter plugins that tried preemption.
const std::string kNoVictims = "no new claims to deallocate, preemption: ";

class Scheduling : public SchedulingTest {
 protected:
  // The message for two nodes where preemption does not help.
  static std::string unresolvable(const std::string& why) {
    return "0/2 nodes are available: " + why + ". " + kNoVictims
           + "0/2 nodes are available: 2 Preemption is not helpful for scheduling.";
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(Scheduling);

TEST_P(Scheduling, PodsAreBoundToBothNodesWithScheduledEventsAndConditions) {
  const std::set<std::string> nodes{add_node("a"), add_node("b")};
  auto& scheduler = start_scheduler();
  const std::vector<std::string> names{"one", "two", "three", "four"};
  for (const std::string& name : names) add_pod(name, "{\"spec\": {" + cpu_request("4") + "}}");
  std::set<std::string> used;
  for (const std::string& name : names) {
    const std::string node = lands_on(name);
    EXPECT_TRUE(nodes.contains(node)) << node;
    used.insert(node);
    EXPECT_TRUE(has_event(name, "Scheduled", fmt::format("Successfully assigned {}/{} to {}", ns(), name, node)));
    const api::Pod bound = pod(name);
    const auto* condition = condition_of(bound, "PodScheduled");
    ASSERT_NE(condition, nullptr);
    EXPECT_EQ(condition->status(), "True");
  }
  EXPECT_EQ(used, nodes) << "the emptier node is preferred";
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
  EXPECT_EQ(scheduler.attempts(), 4);
}

TEST_P(Scheduling, PodsOfOtherSchedulersAreIgnored) {
  add_node("a");
  auto& scheduler = start_scheduler();
  api::Pod other = pod_like("other");
  other.mutable_spec()->set_scheduler_name("another-scheduler");
  ASSERT_TRUE(eventually([&] { return await(client().create(other)).has_value(); }));
  add_pod("ours");
  lands_on("ours");
  EXPECT_EQ(node_of_pod("other"), "");
  EXPECT_TRUE(eventually([&] { return scheduler.attempts() > 0; }));
  EXPECT_EQ(scheduler.attempts(), 1);
}

TEST_P(Scheduling, ACordonedNodeGetsNoPodUntilItIsUncordoned) {
  const std::string node = add_node("a", R"({"spec": {"unschedulable": true}})");
  const std::string other = add_node("b", R"({"spec": {"unschedulable": true}})");
  start_scheduler();
  add_pod("p");
  expect_message("p", unresolvable("2 node(s) were unschedulable"), {" node(s) were unschedulable"});
  patch_node(node, R"({"spec": {"unschedulable": null}})");
  EXPECT_EQ(lands_on("p"), node);
}

TEST_P(Scheduling, AnUntoleratedTaintKeepsPodsAwayUntilItIsRemoved) {
  constexpr std::string_view tainted =
      R"({"spec": {"taints": [{"key": "dedicated", "value": "x", "effect": "NoSchedule"}]}})";
  const std::string node = add_node("a", tainted);
  const std::string other = add_node("b", tainted);
  start_scheduler();
  add_pod("p");
  expect_message("p", unresolvable("2 node(s) had untolerated taint(s)"), {" node(s) had untolerated taint(s)"});
  add_pod("tolerant", R"({"spec": {"tolerations": [{"key": "dedicated", "operator": "Exists"}]}})");
  EXPECT_NE(lands_on("tolerant"), "");
  EXPECT_EQ(node_of_pod("p"), "");
  auto kept = await(client().get<api::Node>("", other));
  ASSERT_TRUE(kept);
  auto& taints = *kept->mutable_spec()->mutable_taints();
  taints.erase(std::ranges::find(taints, "dedicated", &api::Taint::key));
  ASSERT_TRUE(await(client().update(*kept)));
  EXPECT_EQ(lands_on("p"), other);
}

TEST_P(Scheduling, NodeSelectorsAndAffinityAreHonouredAndANewLabelMakesAPodSchedulable) {
  const std::string ssd = add_node("a", R"({"metadata": {"labels": {"disk": "ssd", "size": "5"}}})");
  const std::string plain = add_node("b");
  start_scheduler();
  add_pod("selects", R"({"spec": {"nodeSelector": {"disk": "ssd"}}})");
  add_pod("affine", R"({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
    {"nodeSelectorTerms": [{"matchExpressions": [{"key": "size", "operator": "Gt", "values": ["4"]}]}]}}}}})");
  add_pod("averse", R"({"spec": {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution":
    {"nodeSelectorTerms": [{"matchExpressions": [{"key": "disk", "operator": "DoesNotExist"}]}]}}}}})");
  EXPECT_EQ(lands_on("selects"), ssd);
  EXPECT_EQ(lands_on("affine"), ssd);
  EXPECT_EQ(lands_on("averse"), plain);

  add_pod("picky", R"({"spec": {"nodeSelector": {"disk": "tape"}}})");
  expect_message("picky", unresolvable("2 node(s) didn't match Pod's node affinity/selector"),
                 {" node(s) didn't match Pod's node affinity/selector"});
  patch_node(plain, R"({"metadata": {"labels": {"disk": "tape"}}})");
  EXPECT_EQ(lands_on("picky"), plain);
}

TEST_P(Scheduling, APodWithTheNodeAffinityOfADaemonSetGoesToItsNode) {
  add_node("a");
  const std::string named = add_node("b");
  add_node("c");
  start_scheduler();
  add_pod("daemon", fmt::format(R"({{"spec": {{"affinity": {{"nodeAffinity":
    {{"requiredDuringSchedulingIgnoredDuringExecution": {{"nodeSelectorTerms": [{{"matchFields":
      [{{"key": "metadata.name", "operator": "In", "values": ["{}"]}}]}}]}}}}}}}}}})",
                                named));
  EXPECT_EQ(lands_on("daemon"), named);
}

TEST_P(Scheduling, AHostPortIsUsedOnlyOncePerNode) {
  const std::set<std::string> nodes{add_node("a"), add_node("b")};
  start_scheduler();
  constexpr std::string_view port = R"({"spec": {"containers": [{"name": "main", "image": "registry.example/app:1",
    "ports": [{"containerPort": 8080, "hostPort": 8080}]}]}})";
  add_pod("one", port);
  add_pod("two", port);
  EXPECT_EQ((std::set<std::string>{lands_on("one"), lands_on("two")}), nodes);
  add_pod("three", port);
  expect_message("three",
              "0/2 nodes are available: 2 node(s) didn't have free ports for the requested pod ports. " + kNoVictims + "0/2 "
              "nodes are available: 2 No preemption victims found for incoming pod.",
              {"2 node(s) didn't have free ports for the requested pod ports",
               "2 No preemption victims found for incoming pod"});
  const std::string freed = node_of_pod("two");
  remove_pod("two");
  EXPECT_EQ(lands_on("three"), freed);
}

TEST_P(Scheduling, CpuIsNotOvercommittedAndADeletedPodFreesItsRequests) {
  const std::string node = add_node("a");
  start_scheduler();
  const std::string large = "{\"spec\": {" + cpu_request("20") + "}}";
  add_pod("first", large);
  EXPECT_EQ(lands_on("first"), node);
  add_pod("second", large);
  expect_message("second",
              "0/1 nodes are available: 1 Insufficient cpu. " + kNoVictims + "0/1 nodes are available: 1 No preemption "
              "victims found for incoming pod.",
              {"1 Insufficient cpu", "1 No preemption victims found for incoming pod"});
  remove_pod("first");
  EXPECT_EQ(lands_on("second"), node);
}

TEST_P(Scheduling, ANodeGetsNoMorePodsThanItsAllocatableAllows) {
  const std::string node = add_node("a", R"({"status": {"allocatable": {"pods": "2"}, "capacity": {"pods": "2"}}})");
  start_scheduler();
  add_pod("one");
  add_pod("two");
  lands_on("one");
  lands_on("two");
  add_pod("three");
  expect_message("three",
              "0/1 nodes are available: 1 Too many pods. " + kNoVictims + "0/1 nodes are available: 1 No preemption victims "
              "found for incoming pod.",
              {"1 Too many pods"});
}

TEST_P(Scheduling, ADoNotScheduleSpreadConstraintIsHonoured) {
  const std::string zone_a = add_node("a");
  const std::string zone_b = add_node("b", R"({"metadata": {"labels": {"topology.kubernetes.io/zone": "b"}}})");
  start_scheduler();
  const auto web = [&](const std::string& more) {
    return R"({"metadata": {"labels": {"app": "web"}}, "spec": {)" + more
           + R"("topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone",
                 "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "web"}}}]}})";
  };
  std::multiset<std::string> used;
  for (const char* name : {"one", "two", "three", "four"}) {
    add_pod(name, web(""));
    used.insert(lands_on(name));
  }
  EXPECT_EQ(used.count(zone_a), 2U);
  EXPECT_EQ(used.count(zone_b), 2U);

  // The spread constraint excludes this node, and the other node is full.
  add_pod("filler",
          "{\"spec\": {\"nodeSelector\": {\"topology.kubernetes.io/zone\": \"b\"}, " + cpu_request("31") + "}}");
  EXPECT_EQ(lands_on("filler"), zone_b);
  add_pod("five", web(cpu_request("1") + ", "));
  EXPECT_EQ(lands_on("five"), zone_a);
  add_pod("six", web(cpu_request("1") + ", "));
  expect_message("six",
                 "0/2 nodes are available: 1 Insufficient cpu, 1 node(s) didn't match pod topology spread constraints. "
                     + kNoVictims + "0/2 nodes are available: 2 No preemption victims found for incoming pod.",
                 {"1 Insufficient cpu", "1 node(s) didn't match pod topology spread constraints"});
}

TEST_P(Scheduling, PodAffinityAndAntiAffinityAreHonoured) {
  const std::string zone_a = add_node("a");
  const std::string zone_b = add_node("b", R"({"metadata": {"labels": {"topology.kubernetes.io/zone": "b"}}})");
  start_scheduler();
  add_pod("cache", R"({"metadata": {"labels": {"app": "cache"}},
                       "spec": {"nodeSelector": {"topology.kubernetes.io/zone": "b"}}})");
  EXPECT_EQ(lands_on("cache"), zone_b);
  const auto terms = [](const std::string& kind) {
    return R"({"metadata": {"labels": {"app": "web"}}, "spec": {"affinity": {")" + kind
           + R"(": {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "topology.kubernetes.io/zone",
                    "labelSelector": {"matchLabels": {"app": "cache"}}}]}}}})";
  };
  add_pod("near", terms("podAffinity"));
  EXPECT_EQ(lands_on("near"), zone_b);
  add_pod("far", terms("podAntiAffinity"));
  EXPECT_EQ(lands_on("far"), zone_a);
  // The anti-affinity of the existing pod applies to later pods.
  add_pod("cache-2", R"({"metadata": {"labels": {"app": "cache"}},
                         "spec": {"nodeSelector": {"topology.kubernetes.io/zone": "a"}}})");
  expect_message("cache-2",
              "0/2 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) didn't satisfy "
              "existing pods anti-affinity rules. " + kNoVictims + "0/2 nodes are available: 1 No preemption victims found "
              "for incoming pod, 1 Preemption is not helpful for scheduling.",
              {"1 node(s) didn't satisfy existing pods anti-affinity rules"});
  remove_pod("far");
  EXPECT_EQ(lands_on("cache-2"), zone_a);
}

TEST_P(Scheduling, AGatedPodIsNotAttemptedUntilItsGatesAreRemoved) {
  const std::string node = add_node("a");
  auto& scheduler = start_scheduler();
  add_pod("gated", R"({"spec": {"schedulingGates": [{"name": "example.com/hold"}]}})");
  add_pod("free");
  lands_on("free");
  EXPECT_TRUE(eventually([&] { return scheduler.attempts() > 0; }));
  EXPECT_EQ(scheduler.attempts(), 1);
  const api::Pod waiting = pod("gated");
  EXPECT_EQ(waiting.spec().node_name(), "");
  const auto* condition = condition_of(waiting, "PodScheduled");
  ASSERT_NE(condition, nullptr);
  EXPECT_EQ(condition->reason(), "SchedulingGated");
  ASSERT_TRUE(await(client().patch<api::Pod>(ns(), "gated", R"({"spec": {"schedulingGates": null}})")));
  EXPECT_EQ(lands_on("gated"), node);
}

TEST_P(Scheduling, ThePodWithTheHigherPriorityIsScheduledFirst) {
  const std::string urgent = priority_class("urgent", 1000);
  const std::string node = add_node("a");
  const std::string large = cpu_request("20");
  // All three pods exist before the first decision; there is room for one.
  add_pod("first", "{\"spec\": {" + large + "}}");
  add_pod("second", "{\"spec\": {" + large + "}}");
  add_pod("urgent", "{\"spec\": {\"priorityClassName\": \"" + urgent + "\", " + large + "}}");
  start_scheduler();
  EXPECT_EQ(lands_on("urgent"), node);
  wait_unschedulable("first");
  wait_unschedulable("second");
  EXPECT_TRUE(events("first", "Preempted").empty());
}

TEST_P(Scheduling, APodWithResourceClaimsStaysPendingWithAReasonAndBlocksNoOtherPod) {
  const std::string node = add_node("a");
  start_scheduler();
  add_pod("devices", R"({"spec": {"resourceClaims": [{"name": "gpu", "resourceClaimName": "some"}]}})");
  const std::string why =
      "the pod has resourceClaims, which this scheduler does not allocate: use a scheduler that does";
  expect_message("devices",
                 "0/1 nodes are available: " + why + ". " + kNoVictims
                     + "0/1 nodes are available: 1 Preemption is not helpful for scheduling.",
                 {why});
  add_pod("plain");
  EXPECT_EQ(lands_on("plain"), node);
  EXPECT_EQ(node_of_pod("devices"), "");
}

}  // namespace
}  // namespace rescheduler::test
