// Preemption: which pods become victims, which are spared, and the events and conditions that report it.
#include <algorithm>

#include <gtest/gtest.h>

#include "kube/proto/policy.pb.h"
#include "kube/proto/scheduling.pb.h"
#include "support/objects.h"
#include "support/scheduler.h"

namespace rescheduler::test {
namespace {

class Preemption : public SchedulingTest {
 protected:
  static std::string sized(const std::string& cpu, const std::string& more = {}) {
    return "{\"metadata\": {\"labels\": {\"app\": \"low\"}}, \"spec\": {" + more + cpu_request(cpu) + "}}";
  }
  std::string of_class(const std::string& priority, const std::string& cpu) {
    return sized(cpu, "\"priorityClassName\": \"" + priority + "\", ");
  }
  // A victim with a finalizer stays visible until the test removes the finalizer.
  void hold(const std::string& name) {
    auto done = await(client().patch<api::Pod>(ns(), name, R"({"metadata": {"finalizers": ["example.com/hold"]}})"));
    EXPECT_TRUE(done) << done.error().message;
  }
  void release_pod(const std::string& name) {
    auto done = await(client().patch<api::Pod>(ns(), name, R"({"metadata": {"finalizers": null}})"));
    EXPECT_TRUE(done) << done.error().message;
  }
  bool leaves(const std::string& name) {
    return eventually([&] {
      const api::Pod seen = pod(name);
      return seen.metadata().name().empty() || seen.metadata().has_deletion_timestamp();
    });
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(Preemption);

TEST_P(Preemption, AHigherPriorityPodPreemptsALowerPriorityPod) {
  const std::string high = priority_class("high", 1000);
  const std::string node = add_node("a");
  auto& scheduler = start_scheduler();
  add_pod("small", sized("8"));
  add_pod("victim", sized("20"));
  lands_on("small");
  lands_on("victim");
  hold("victim");
  const api::Pod urgent = add_pod("urgent", of_class(high, "20"));
  ASSERT_TRUE(leaves("victim"));

  const api::Pod victim = pod("victim");
  const auto* why = condition_of(victim, "DisruptionTarget");
  ASSERT_NE(why, nullptr);
  EXPECT_EQ(why->status(), "True");
  EXPECT_EQ(why->reason(), "PreemptionByScheduler");
  EXPECT_EQ(why->message(), ns() + ": preempting to accommodate a higher priority pod");
  EXPECT_TRUE(
      has_event("victim", "Preempted", fmt::format("Preempted by pod {} on node {}", urgent.metadata().uid(), node)));
  EXPECT_TRUE(eventually([&] { return pod("urgent").status().nominated_node_name() == node; }));
  EXPECT_EQ(node_of_pod("urgent"), "") << "the victim still uses its resources";

  release_pod("victim");
  EXPECT_EQ(lands_on("urgent"), node);
  EXPECT_FALSE(pod("small").metadata().has_deletion_timestamp()) << "this pod need not be preempted";
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
}

TEST_P(Preemption, TheNominatedNodeIsKeptForThePreemptor) {
  const std::string high = priority_class("high", 1000);
  const std::string node = add_node("a");
  start_scheduler();
  add_pod("victim", sized("20"));
  lands_on("victim");
  hold("victim");
  add_pod("urgent", of_class(high, "32"));
  ASSERT_TRUE(eventually([&] { return pod("urgent").status().nominated_node_name() == node; }));
  // The pod would fit beside the victim, but not beside the nominated pod.
  add_pod("sneaky", sized("4"));
  wait_unschedulable("sneaky");
  release_pod("victim");
  EXPECT_EQ(lands_on("urgent"), node);
  EXPECT_EQ(node_of_pod("sneaky"), "");
}

TEST_P(Preemption, TheNodeWithTheLowestPriorityVictimIsChosen) {
  const std::string high = priority_class("high", 1000);
  const std::string middle = priority_class("middle", 500);
  const std::string lesser = add_node("a", R"({"metadata": {"labels": {"which": "lesser"}}})");
  add_node("b", R"({"metadata": {"labels": {"which": "middle"}}})");
  start_scheduler();
  add_pod("in-the-middle",
          sized("20", R"("nodeSelector": {"which": "middle"}, "priorityClassName": ")" + middle + "\", "));
  add_pod("lesser", sized("20", R"("nodeSelector": {"which": "lesser"}, )"));
  lands_on("in-the-middle");
  lands_on("lesser");
  add_pod("urgent", of_class(high, "20"));
  EXPECT_EQ(lands_on("urgent"), lesser);
  EXPECT_FALSE(pod("in-the-middle").metadata().has_deletion_timestamp());
}

TEST_P(Preemption, VictimsWithoutAPodDisruptionBudgetViolationArePreferred) {
  const std::string high = priority_class("high", 1000);
  add_node("a", R"({"metadata": {"labels": {"which": "guarded"}}})");
  const std::string free = add_node("b", R"({"metadata": {"labels": {"which": "free"}}})");
  create(parsed<api::PodDisruptionBudget>(fmt::format(
      R"({{"metadata": {{"namespace": "{}", "name": "b"}},
           "spec": {{"minAvailable": 1, "selector": {{"matchLabels": {{"guarded": "yes"}}}}}}}})",
      ns())));
  start_scheduler();
  add_pod("guarded", R"({"metadata": {"labels": {"guarded": "yes"}}, "spec": {"nodeSelector": {"which": "guarded"}, )"
                         + cpu_request("20") + "}}");
  add_pod("one", sized("10", R"("nodeSelector": {"which": "free"}, )"));
  add_pod("two", sized("10", R"("nodeSelector": {"which": "free"}, )"));
  for (const char* name : {"guarded", "one", "two"}) lands_on(name);
  // The scheduler reads the status that the disruption controller computes.
  ASSERT_TRUE(eventually([&] {
    auto budget = await(client().get<api::PodDisruptionBudget>(ns(), "b"));
    return budget && budget->status().expected_pods() == 1 && budget->status().disruptions_allowed() == 0;
  }));
  add_pod("urgent", of_class(high, "30"));
  EXPECT_EQ(lands_on("urgent"), free) << "two victims are better than one that a PodDisruptionBudget protects";
  EXPECT_FALSE(pod("guarded").metadata().has_deletion_timestamp());
}

TEST_P(Preemption, APodWithPreemptionPolicyNeverWaitsForFreeResources) {
  api::PriorityClass polite;
  polite.mutable_metadata()->set_name(ns() + "-polite");
  polite.set_value(1000);
  polite.set_preemption_policy("Never");
  create(polite);
  const std::string node = add_node("a");
  start_scheduler();
  add_pod("lesser", sized("20"));
  lands_on("lesser");
  add_pod("polite", of_class(polite.metadata().name(), "20"));
  const std::string refused = "1 Insufficient cpu";
  expect_message("polite",
                 "0/1 nodes are available: " + refused
                     + ". no new claims to deallocate, preemption: not eligible due to preemptionPolicy=Never.",
                 {refused, "not eligible due to preemptionPolicy=Never."});
  EXPECT_FALSE(pod("lesser").metadata().has_deletion_timestamp());
  EXPECT_EQ(pod("polite").status().nominated_node_name(), "");
  remove_pod("lesser");
  EXPECT_EQ(lands_on("polite"), node);
  (void)await(client().remove<api::PriorityClass>("", polite.metadata().name()));
}

}  // namespace
}  // namespace rescheduler::test
