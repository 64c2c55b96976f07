// The plugins with one simple filter.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "placement/testing.h"

namespace rescheduler::placement::testing {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using cluster::testing::PodBuilder;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Code kNever = Code::UnschedulableAndUnresolvable;

cluster::ClusterEventPtr target_pod(cluster::ActionType change) {
  cluster::ClusterEvent cluster_event;
  cluster_event.resource = cluster::EventResource::TargetPod;
  cluster_event.actions = change;
  return std::make_shared<const cluster::ClusterEvent>(std::move(cluster_event));
}

// --- NodeName ---

TEST(NodeName, RejectsAllNodesExceptTheNodeInTheSpec) {
  Bench bench;
  bench.add(node("n1")).add(node("n2"));
  EXPECT_EQ(bench.ask("NodeName", pod("p"), "n1").code, Code::Success);
  EXPECT_EQ(bench.ask("NodeName", pod("p").on("n1"), "n1").code, Code::Success);
  EXPECT_EQ(bench.ask("NodeName", pod("p").on("n1"), "n2"),
            (Verdict{kNever, {"node(s) didn't match the requested node name"}, "NodeName"}));
}

TEST(NodeName, ANewNodeWakesThePodAndALabelChangeDoesNot) {
  Bench bench;
  EXPECT_EQ(bench.hint("NodeName", pod("p").on("n1"), bench.model().upsert_node(node("n1"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint("NodeName", pod("p").on("n1"), bench.model().upsert_node(node("n1").zone("a"))),
            QueueingHint::Skip);
}

// --- NodeUnschedulable ---

TEST(NodeUnschedulable, ACordonedNodeAcceptsOnlyPodsThatTolerateTheUnschedulableTaint) {
  Bench bench;
  bench.add(node("n").cordoned());
  const std::string key = "node.kubernetes.io/unschedulable";
  struct Row {
    PodBuilder context;
    bool fits;
  };
  const Row rows[] = {
      {pod("nothing tolerated"), false},
      {pod("by key").toleration(key), true},
      {pod("by key and effect").toleration(key, "Exists", "", "NoSchedule"), true},
      {pod("of the empty value").toleration(key, "Equal", ""), true},
      {pod("of another value").toleration(key, "Equal", "x"), false},
      {pod("of another effect").toleration(key, "Exists", "", "NoExecute"), false},
      {pod("of everything").toleration(""), true},
  };
  for (const Row& row : rows) {
    const Verdict verdict = bench.ask("NodeUnschedulable", row.context, "n");
    EXPECT_EQ(verdict.code, row.fits ? Code::Success : kNever);
    EXPECT_THAT(verdict.reasons, row.fits ? Reasons{} : Reasons{"node(s) were unschedulable"});
  }
}

TEST(NodeUnschedulable, UncordoningANodeWakesThePodAndCordoningDoesNot) {
  Bench bench;
  EXPECT_EQ(bench.hint("NodeUnschedulable", pod("p"), bench.model().upsert_node(node("n").cordoned())),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint("NodeUnschedulable", pod("p"), bench.model().upsert_node(node("n"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint("NodeUnschedulable", pod("p"), bench.model().upsert_node(node("n").cordoned())),
            QueueingHint::Skip);
  EXPECT_EQ(bench.hint("NodeUnschedulable", pod("p"), target_pod(cluster::ActionType::PodToleration)),
            QueueingHint::Queue);
}

// --- NodePorts; collisions are in golden_test.cc ---

TEST(NodePorts, TheHostPortsOfSidecarsCountAndTheHostPortsOfInitContainersDoNot) {
  Bench bench;
  bench.add(node("n")).add(pod("there").host_port(80).on("n"));
  const auto with_init = [](const char* policy) {
    return pod("p").merge(std::string(R"({"spec":{"initContainers":[{"name":"i")") + policy
                          + R"(,"ports":[{"hostPort":80,"containerPort":80}]}]}})");
  };
  EXPECT_EQ(bench.ask("NodePorts", with_init(R"(,"restartPolicy":"Always")"), "n").code, Code::Unschedulable);
  EXPECT_EQ(bench.ask("NodePorts", with_init(""), "n").code, Code::Skip);
}

TEST(NodePorts, OnlyTheRemovalOfAPodWithTheSamePortOrANewNodeWakesThePod) {
  Bench bench;
  bench.add(node("n")).add(pod("holder").host_port(80).on("n")).add(pod("other").host_port(81).on("n"));
  const auto waiting = pod("p").host_port(80);
  EXPECT_EQ(bench.hint("NodePorts", waiting, bench.model().remove_pod("uid-other")), QueueingHint::Skip);
  EXPECT_EQ(bench.hint("NodePorts", waiting, bench.model().remove_pod("uid-holder")), QueueingHint::Queue);
  EXPECT_EQ(bench.hint("NodePorts", waiting, bench.model().upsert_node(node("n2"))), QueueingHint::Queue);
  EXPECT_EQ(bench.hint("NodePorts", waiting, bench.model().upsert_node(node("n2").zone("a"))), QueueingHint::Skip);
}

// --- NodeDeclaredFeatures ---

TEST(NodeDeclaredFeatures, TheNodeMustDeclareTheFeaturesThatThePodNeeds) {
  Bench bench;
  bench.add(node("old")).add(node("new").feature("UserNamespacesHostNetworkSupport").feature("Another"));
  const auto context = pod("p").merge(R"({"spec":{"hostNetwork":true,"hostUsers":false}})");
  EXPECT_EQ(bench.ask("NodeDeclaredFeatures", context, "new").code, Code::Success);
  EXPECT_EQ(bench.ask("NodeDeclaredFeatures", context, "old"),
            (Verdict{kNever, {"node(s) didn't match Pod's required features"}, "NodeDeclaredFeatures"}));
  EXPECT_EQ(bench.ask("NodeDeclaredFeatures", pod("p").merge(R"({"spec":{"hostNetwork":true}})"), "old").code,
            Code::Skip);
  const auto restarting = pod("p").merge(R"({"spec":{"initContainers":[{"name":"i","restartPolicyRules":
      [{"action":"RestartAllContainers"}]}]}})");
  EXPECT_EQ(bench.ask("NodeDeclaredFeatures", restarting, "new").code, kNever);
}

TEST(NodeDeclaredFeatures, ANodeThatStartsToDeclareTheFeatureWakesThePod) {
  Bench bench;
  const auto context = pod("p").merge(R"({"spec":{"hostNetwork":true,"hostUsers":false}})");
  EXPECT_EQ(bench.hint("NodeDeclaredFeatures", context, bench.model().upsert_node(node("n"))), QueueingHint::Skip);
  EXPECT_EQ(bench.hint("NodeDeclaredFeatures", context,
                       bench.model().upsert_node(node("n").feature("UserNamespacesHostNetworkSupport"))),
            QueueingHint::Queue);
}

// --- Before the cycle ---

TEST(SchedulingGates, AGatedPodIsNotEvaluatedOnAnyNode) {
  Bench bench;
  bench.add(node("n"));
  const SchedulingResult answer = bench.decide(pod("p").gate("quota").gate("review"));
  EXPECT_EQ(answer.outcome, Outcome::Gated);
  EXPECT_EQ(answer.message, "waiting for scheduling gates: [quota review]");
  EXPECT_THAT(answer.feasible, IsEmpty());
  EXPECT_EQ(bench.hint("SchedulingGates", pod("p"), target_pod(cluster::ActionType::PodGatesGone)),
            QueueingHint::Queue);
  EXPECT_EQ(bench.hint("SchedulingGates", pod("p"), target_pod(cluster::ActionType::PodLabel)), QueueingHint::Skip);
}

TEST(DynamicResources, APodWithResourceClaimsIsUnschedulableAndTheMessageSaysWhy) {
  Bench bench;
  bench.add(node("n"));
  const SchedulingResult answer = bench.decide(pod("p").merge(R"({"spec":{"resourceClaims":[{"name":"gpu"}]}})"));
  EXPECT_EQ(answer.outcome, Outcome::Unschedulable);
  EXPECT_THAT(answer.rejected_by, ElementsAre("DynamicResources"));
  EXPECT_THAT(answer.message, ::testing::HasSubstr("the pod has resourceClaims"));
}

TEST(DefaultPreemption, TheRemovalOfAVictimDoesNotWakeThePod) {
  Bench bench;
  bench.add(node("n")).add(pod("victim").on("n"));
  EXPECT_EQ(bench.hint("DefaultPreemption", pod("p"), bench.model().remove_pod("uid-victim")), QueueingHint::Skip);
}

}  // namespace
}  // namespace rescheduler::placement::testing
