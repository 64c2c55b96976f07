#include "sim/server/eviction.h"

#include <functional>

#include <gtest/gtest.h>

#include "kube/value/time.h"
#include "sim/server/test_objects.h"

namespace rescheduler::sim {
namespace {

using testing::binding_of;
using testing::eviction_of;
using testing::make_budget;
using testing::make_node;
using testing::make_pod;
using testing::TestServer;

struct Figures {
  int healthy = 3;
  int desired = 2;
  int allowed = 1;
};

class EvictionTest : public ::testing::Test {
 protected:
  TestServer cluster;

  void add_budget(const std::string& name, Figures figures, const std::string& unready_policy = {}) {
    api::PodDisruptionBudget budget = make_budget(name);
    testing::set_count(*budget.mutable_spec()->mutable_min_available(), figures.desired);
    if (!unready_policy.empty()) budget.mutable_spec()->set_unhealthy_pod_eviction_policy(unready_policy);
    (void)cluster.server.create(budget).value();
    change_budget(name, [&](api::PodDisruptionBudget& changed) {
      api::PodDisruptionBudgetStatus& status = *changed.mutable_status();
      status.set_observed_generation(changed.metadata().generation());
      status.set_current_healthy(figures.healthy);
      status.set_desired_healthy(figures.desired);
      status.set_disruptions_allowed(figures.allowed);
      status.set_expected_pods(figures.healthy);
    });
  }
  void change_budget(const std::string& name, const std::function<void(api::PodDisruptionBudget&)>& change) {
    (void)cluster.server.modify_status<api::PodDisruptionBudget>("shop", name, change).value();
  }
  api::PodDisruptionBudgetStatus budget(const std::string& name = "pdb") {
    return cluster.server.find<api::PodDisruptionBudget>("shop", name)->status();
  }
  ApiResult<void> evict(const std::string& pod, const api::Eviction& eviction, bool dry_run = false) {
    return cluster.server.evict("shop", pod, eviction, dry_run);
  }
  ApiResult<void> evict(const std::string& pod) { return evict(pod, eviction_of(pod)); }
  StatusError refused(const std::string& pod) {
    const auto answer = evict(pod);
    EXPECT_FALSE(answer) << "the pod was evicted";
    return answer ? StatusError{} : answer.error();
  }
  bool leaving(const std::string& pod) {
    const auto found = cluster.pod(pod);
    return !found || found->metadata().has_deletion_timestamp();
  }
};

TEST_F(EvictionTest, APodWithoutABudgetIsEvictedWithADisruptionTargetCondition) {
  cluster.add_pod(make_pod("a"));
  ASSERT_TRUE(evict("a"));
  const auto pod = cluster.pod("a");
  ASSERT_TRUE(pod) << "a bound pod has a grace period and stays until a kubelet removes it";
  EXPECT_TRUE(pod->metadata().has_deletion_timestamp());
  const api::PodCondition* target = find_condition(pod->status(), "DisruptionTarget");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->status(), "True");
  EXPECT_EQ(target->reason(), "EvictionByEvictionAPI");
  EXPECT_EQ(target->message(), "Eviction API: evicting");
}

TEST_F(EvictionTest, TheRequestedGracePeriodIsUsed) {
  cluster.add_pod(make_pod("a"));
  api::Eviction eviction = eviction_of("a");
  eviction.mutable_delete_options()->set_grace_period_seconds(7);
  ASSERT_TRUE(evict("a", eviction));
  EXPECT_EQ(cluster.pod("a")->metadata().deletion_grace_period_seconds(), 7);
}

TEST_F(EvictionTest, TheEvictionOfPendingFinishedAndTerminatingPodsIgnoresTheBudget) {
  add_budget("pdb", {2, 2, 0});
  cluster.add_pod(make_pod("pending"), "", "Pending", false);
  cluster.add_pod(make_pod("done"), "n1", "Succeeded", false);
  cluster.add_pod(make_pod("failed"), "n1", "Failed", false);
  cluster.add_pod(make_pod("ending"));
  (void)cluster.server.remove(cluster.server.kinds().of<api::Pod>(), "shop", "ending", {}).value();
  for (const char* name : {"pending", "done", "failed", "ending"}) {
    EXPECT_TRUE(evict(name)) << name;
    EXPECT_TRUE(leaving(name)) << name;
  }
  EXPECT_EQ(budget().disrupted_pods().size(), 0U);
}

TEST_F(EvictionTest, TwoBudgetsForOnePodAreAServerError) {
  cluster.add_pod(make_pod("a"));
  add_budget("one", {3, 1, 2});
  add_budget("two", {3, 1, 2});
  const StatusError refusal = refused("a");
  EXPECT_EQ(refusal.code, 500);
  EXPECT_EQ(refusal.message,
            "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.");
  EXPECT_FALSE(leaving("a"));
  EXPECT_EQ(budget("one").disruptions_allowed(), 2);
}

TEST_F(EvictionTest, ABudgetThatDoesNotSelectThePodIsIgnored) {
  cluster.add_pod(make_pod("a", {{"app", "db"}}));
  add_budget("pdb", {2, 2, 0});
  EXPECT_TRUE(evict("a"));
}

TEST_F(EvictionTest, AnEvictionUsesUpAnAllowedDisruptionAndRecordsThePod) {
  cluster.add_pod(make_pod("a"));
  add_budget("pdb", {3, 2, 1});
  ASSERT_TRUE(evict("a"));
  const auto status = budget();
  EXPECT_EQ(status.disruptions_allowed(), 0);
  ASSERT_TRUE(status.disrupted_pods().contains("a"));
  EXPECT_EQ(kube::wall_time(status.disrupted_pods().at("a")), cluster.agenda.wall_now());
  ASSERT_EQ(status.conditions_size(), 1);
  EXPECT_EQ(status.conditions(0).type(), "DisruptionAllowed");
  EXPECT_EQ(status.conditions(0).status(), "False");
  EXPECT_EQ(status.conditions(0).reason(), "InsufficientPods");
}

TEST_F(EvictionTest, AnExhaustedBudgetReturns429WithTheHealthyCountsAndNoRetryAfter) {
  cluster.add_pod(make_pod("a"));
  add_budget("pdb", {2, 2, 0});
  const StatusError refusal = refused("a");
  EXPECT_EQ(refusal.code, 429);
  EXPECT_EQ(refusal.reason, "TooManyRequests");
  EXPECT_EQ(refusal.message, "Cannot evict pod as it would violate the pod's disruption budget.");
  EXPECT_EQ(refusal.retry_after_seconds.value_or(0), 0);
  ASSERT_EQ(refusal.causes.size(), 1U);
  EXPECT_EQ(refusal.causes[0].reason, "DisruptionBudget");
  EXPECT_EQ(refusal.causes[0].message, "The disruption budget pdb needs 2 healthy pods and has 2 currently");
}

TEST_F(EvictionTest, ABudgetThatIsBlockedForAnotherReasonReturnsThatReason) {
  cluster.add_pod(make_pod("a"));
  add_budget("pdb", {3, 2, 0});
  EXPECT_EQ(refused("a").causes.at(0).message, "The disruption budget pdb does not allow evicting pods currently");
  const auto explain = [&](const char* reason, const char* message) {
    change_budget("pdb", [&](api::PodDisruptionBudget& changed) {
      set_condition(*changed.mutable_status()->mutable_conditions(), {"DisruptionAllowed", "False", reason, message}, 1,
                    cluster.agenda.wall_now());
    });
  };
  explain("Odd", "a custom reason");
  EXPECT_EQ(refused("a").causes.at(0).message,
            "The disruption budget pdb does not allow evicting pods currently (Odd): a custom reason");
  explain("SyncFailed", "no controller");
  EXPECT_EQ(refused("a").causes.at(0).message,
            "The disruption budget pdb does not allow evicting pods currently because it failed sync: no controller");
}

TEST_F(EvictionTest, AnUnprocessedBudgetReturnsRetryAfterTenSeconds) {
  const auto pod = cluster.add_pod(make_pod("a"));
  api::PodDisruptionBudget fresh = make_budget("pdb");
  fresh.mutable_metadata()->set_generation(2);
  fresh.mutable_status()->set_observed_generation(1);
  fresh.mutable_status()->set_disruptions_allowed(5);
  const auto cost = eviction_cost(*pod, {&fresh});
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().code, 429);
  EXPECT_EQ(cost.error().retry_after_seconds, 10);
  EXPECT_EQ(cost.error().causes.at(0).message, "The disruption budget pdb is still being processed by the server.");
}

TEST_F(EvictionTest, ANegativeNumberOfAllowedDisruptionsIsForbidden) {
  const auto pod = cluster.add_pod(make_pod("a"));
  api::PodDisruptionBudget odd = make_budget("pdb");
  odd.mutable_status()->set_disruptions_allowed(-1);
  const auto cost = eviction_cost(*pod, {&odd});
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().code, 403);
  EXPECT_EQ(cost.error().message,
            "poddisruptionbudget.policy \"pdb\" is forbidden: pdb disruptions allowed is negative");
}

TEST_F(EvictionTest, TooManyUnconfirmedEvictionsAreForbidden) {
  const auto pod = cluster.add_pod(make_pod("a"));
  api::PodDisruptionBudget full = make_budget("pdb");
  full.mutable_status()->set_disruptions_allowed(1);
  auto& disrupted = *full.mutable_status()->mutable_disrupted_pods();
  for (std::size_t i = 0; i < kMostDisruptedPods; ++i) disrupted["p" + std::to_string(i)] = stamp(WallTime{});
  EXPECT_TRUE(eviction_cost(*pod, {&full})) << "2000 unconfirmed evictions are allowed";
  disrupted["one-more"] = stamp(WallTime{});
  const auto cost = eviction_cost(*pod, {&full});
  ASSERT_FALSE(cost);
  EXPECT_EQ(cost.error().code, 403);
  EXPECT_EQ(cost.error().causes.at(0).message,
            "The disruption budget pdb does not allow evicting pods currently: too many pending evictions not "
            "confirmed by PDB controller");
}

TEST_F(EvictionTest, AnUnreadyPodOfAHealthyApplicationIsEvictedWithoutUsingTheBudget) {
  cluster.add_pod(make_pod("a"), "n1", "Running", false);
  add_budget("pdb", {2, 2, 0});
  ASSERT_TRUE(evict("a"));
  EXPECT_TRUE(leaving("a"));
  EXPECT_EQ(budget().disrupted_pods().size(), 0U);
}

TEST_F(EvictionTest, AnUnreadyPodOfAnUnhealthyApplicationIsEvictedOnlyWithAlwaysAllow) {
  cluster.add_pod(make_pod("a"), "n1", "Running", false);
  add_budget("pdb", {1, 2, 0});
  EXPECT_EQ(refused("a").code, 429);
  ASSERT_TRUE(cluster.server.remove(cluster.server.kinds().of<api::PodDisruptionBudget>(), "shop", "pdb", {}));
  add_budget("pdb", {1, 2, 0}, "AlwaysAllow");
  EXPECT_TRUE(evict("a"));
}

TEST_F(EvictionTest, AnUnreadyPodIsNotEvictedWhenNoHealthyPodsAreDesired) {
  cluster.add_pod(make_pod("a"), "n1", "Running", false);
  add_budget("pdb", {0, 0, 0});
  EXPECT_EQ(refused("a").code, 429);
}

TEST_F(EvictionTest, TheBudgetProtectsAReadyPodAlsoWithAlwaysAllow) {
  cluster.add_pod(make_pod("a"));
  add_budget("pdb", {2, 2, 0}, "AlwaysAllow");
  EXPECT_EQ(refused("a").code, 429);
}

TEST_F(EvictionTest, AWrongUidIsAConflictAndDoesNotEvictThePod) {
  cluster.add_pod(make_pod("a"));
  api::Eviction eviction = eviction_of("a");
  eviction.mutable_delete_options()->mutable_preconditions()->set_uid("another");
  const auto answer = evict("a", eviction);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, 409);
  EXPECT_NE(answer.error().message.find("the UID in the precondition (another) does not match the UID in record"),
            std::string::npos);
  EXPECT_FALSE(leaving("a"));
  EXPECT_FALSE(find_condition(cluster.pod("a")->status(), "DisruptionTarget"));
}

TEST_F(EvictionTest, AnOldResourceVersionIsAConflictAndTheCurrentVersionIsNot) {
  const auto old = cluster.add_pod(make_pod("a"));
  cluster.report("a", "Running", false);
  api::Eviction eviction = eviction_of("a");
  api::Preconditions& wanted = *eviction.mutable_delete_options()->mutable_preconditions();
  wanted.set_resource_version(old->metadata().resource_version());
  const auto answer = evict("a", eviction);
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, 409);
  EXPECT_FALSE(leaving("a"));
  wanted.set_resource_version(cluster.pod("a")->metadata().resource_version());
  EXPECT_TRUE(evict("a", eviction)) << "the condition that the eviction writes must not count as a change";
  EXPECT_TRUE(leaving("a"));
}

TEST_F(EvictionTest, ADryRunReturnsTheSameResultAndChangesNothing) {
  cluster.add_pod(make_pod("a"));
  add_budget("pdb", {3, 2, 1});
  const std::uint64_t before = cluster.server.store().version();
  EXPECT_TRUE(evict("a", eviction_of("a"), true));
  api::Eviction in_body = eviction_of("a");
  in_body.mutable_delete_options()->add_dry_run("All");
  EXPECT_TRUE(evict("a", in_body));
  EXPECT_EQ(cluster.server.store().version(), before);
  ASSERT_TRUE(evict("a"));
  cluster.add_pod(make_pod("b"));
  const auto refusal = evict("b", eviction_of("b"), true);
  ASSERT_FALSE(refusal);
  EXPECT_EQ(refusal.error().code, 429);
}

TEST_F(EvictionTest, AMismatchedNameIsABadRequestAndAnUnknownPodIsNotFound) {
  cluster.add_pod(make_pod("a"));
  EXPECT_EQ(evict("a", eviction_of("b")).error().code, 400);
  EXPECT_EQ(refused("missing").code, 404);
}

TEST_F(EvictionTest, BindingAssignsThePodToANodeOnlyOnce) {
  api::Node node = make_node("n1");
  (*node.mutable_metadata()->mutable_labels())["topology.kubernetes.io/zone"] = "z1";
  (void)cluster.server.create(node).value();
  cluster.add_pod(make_pod("a"), "", "Pending", false);
  api::Binding binding = binding_of("a", "n1");
  (*binding.mutable_metadata()->mutable_annotations())["why"] = "because";
  ASSERT_TRUE(cluster.server.bind("shop", "a", binding, true));
  EXPECT_TRUE(cluster.pod("a")->spec().node_name().empty()) << "a dry run does not bind the pod";
  ASSERT_TRUE(cluster.server.bind("shop", "a", binding));
  const auto pod = cluster.pod("a");
  EXPECT_EQ(pod->spec().node_name(), "n1");
  EXPECT_EQ(pod->metadata().annotations().at("why"), "because");
  EXPECT_EQ(pod->metadata().labels().at("topology.kubernetes.io/zone"), "z1");
  const api::PodCondition* scheduled = find_condition(pod->status(), "PodScheduled");
  ASSERT_TRUE(scheduled);
  EXPECT_EQ(scheduled->status(), "True");
  const auto again = cluster.server.bind("shop", "a", binding_of("a", "n2"));
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, 409);
  EXPECT_EQ(again.error().message,
            "Operation cannot be fulfilled on pods/binding \"a\": pod a is already assigned to node \"n1\"");
}

TEST_F(EvictionTest, BindingRejectsGatedDeletedMismatchedAndUnknownPods) {
  api::Pod gated = make_pod("gated");
  gated.mutable_spec()->add_scheduling_gates()->set_name("wait");
  (void)cluster.server.create(gated).value();
  EXPECT_NE(cluster.server.bind("shop", "gated", binding_of("gated", "n1")).error().message.find("schedulingGates"),
            std::string::npos);
  api::Pod ending = make_pod("ending");
  ending.mutable_metadata()->add_finalizers("example.com/hold");
  (void)cluster.server.create(ending).value();
  (void)cluster.server.remove(cluster.server.kinds().of<api::Pod>(), "shop", "ending", {}).value();
  EXPECT_NE(cluster.server.bind("shop", "ending", binding_of("ending", "n1")).error().message.find("being deleted"),
            std::string::npos);
  (void)cluster.server.create(make_pod("a")).value();
  api::Binding other = binding_of("a", "n1");
  other.mutable_metadata()->set_uid("another");
  EXPECT_EQ(cluster.server.bind("shop", "a", other).error().code, 409);
  EXPECT_EQ(cluster.server.bind("shop", "a", binding_of("a", "")).error().message, "target.name: Required value");
  EXPECT_EQ(cluster.server.bind("shop", "missing", binding_of("missing", "n1")).error().code, 404);
}

}  // namespace
}  // namespace rescheduler::sim
