#include "sim/controllers/disruption/disruption.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/controllers/nodes/lifecycle_rig.h"
#include "sim/server/eviction.h"

namespace rescheduler::sim {
namespace {

using kube::IntOrString;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::LifecycleRig;

std::optional<IntOrString> amount(const char* text) {
  if (!text) return std::nullopt;
  return IntOrString::parse(text);
}

struct Row {
  const char* min_available;
  const char* max_unavailable;
  int scale;
  int pods;
  int healthy;
  int expected;
  int desired;
  int allowed;
};

TEST(DisruptionMath, BudgetFiguresMatchTheTable) {
  const Row rows[] = {
      {"2", nullptr, 99, 3, 3, 3, 2, 1},       // a number: the scale of the controller does not matter
      {"1", nullptr, 1, 1, 1, 1, 1, 0},        // one of one pod: no disruption is allowed
      {"5", nullptr, 3, 3, 3, 3, 5, 0},        // more than the existing pods
      {"50%", nullptr, 5, 5, 5, 5, 3, 2},      // percentages of minAvailable round up
      {"50%", nullptr, 10, 4, 4, 10, 5, 0},    // a percentage of the scale, not of the existing pods
      {nullptr, "1", 1, 1, 1, 1, 0, 1},        // all pods may be unavailable
      {nullptr, "1", 3, 3, 2, 3, 2, 0},        // one pod is already unhealthy
      {nullptr, "30%", 10, 10, 10, 10, 7, 3},  //
      {nullptr, "25%", 10, 10, 10, 10, 7, 3},  // percentages of maxUnavailable round up too
      {nullptr, "100%", 4, 4, 4, 4, 0, 4},     //
      {nullptr, "9", 4, 4, 4, 4, 0, 4},        // desired is never below zero
      {nullptr, "1", 0, 0, 0, 0, 0, 0},        // without pods no disruption is allowed
      {"0", nullptr, 0, 0, 0, 0, 0, 0},        //
      {"2", nullptr, 0, 3, 1, 3, 2, 0},        // allowed is never negative
      {nullptr, nullptr, 3, 3, 3, 0, 0, 0},    // neither field is set
  };
  for (const Row& row : rows) {
    const BudgetDemand demand{amount(row.min_available), amount(row.max_unavailable)};
    const auto figures = budget_figures(demand, row.scale, row.pods, row.healthy);
    ASSERT_TRUE(figures);
    const std::string what = std::string("min ") + (row.min_available ? row.min_available : "-") + " max "
                             + (row.max_unavailable ? row.max_unavailable : "-");
    EXPECT_EQ(figures->expected, row.expected) << what;
    EXPECT_EQ(figures->desired_healthy, row.desired) << what;
    EXPECT_EQ(figures->allowed, row.allowed) << what;
  }
  EXPECT_FALSE(budget_figures({amount("many"), {}}, 1, 1, 1));
}

class DisruptionTest : public ::testing::Test {
 protected:
  LifecycleRig rig;

  void add_budget(int min_available) {
    api::PodDisruptionBudget budget = testing::make_budget("pdb");
    testing::set_count(*budget.mutable_spec()->mutable_min_available(), min_available);
    (void)rig.server.create(budget).value();
  }
  std::shared_ptr<const api::PodDisruptionBudget> budget() {
    return rig.server.find<api::PodDisruptionBudget>("shop", "pdb");
  }
  void add_pods(int count) {
    for (int i = 0; i < count; ++i) rig.add_pod(testing::make_pod("p" + std::to_string(i)));
  }
  bool evict(const std::string& pod) { return rig.server.evict("shop", pod, testing::eviction_of(pod)).has_value(); }
};

TEST_F(DisruptionTest, TheBudgetStatusFollowsTheHealthOfThePods) {
  rig.run<DisruptionController>();
  add_budget(2);
  add_pods(3);
  rig.pass(seconds{1});
  EXPECT_EQ(budget()->status().current_healthy(), 3);
  EXPECT_EQ(budget()->status().expected_pods(), 3);
  EXPECT_EQ(budget()->status().disruptions_allowed(), 1);
  EXPECT_EQ(budget()->status().observed_generation(), budget()->metadata().generation());
  ASSERT_EQ(budget()->status().conditions_size(), 1);
  EXPECT_EQ(budget()->status().conditions(0).reason(), "SufficientPods");
  rig.report("p0", "Running", false);
  rig.pass(seconds{1});
  EXPECT_EQ(budget()->status().disruptions_allowed(), 0);
  EXPECT_EQ(budget()->status().conditions(0).reason(), "InsufficientPods");
}

TEST_F(DisruptionTest, AnEvictedPodIsNotCountedTwiceAfterItsDeletionIsObserved) {
  rig.run<DisruptionController>();
  rig.run_kubelets();
  add_budget(2);
  add_pods(4);
  rig.pass(seconds{1});
  ASSERT_TRUE(evict("p0"));
  ASSERT_TRUE(evict("p1")) << "two disruptions are allowed, also before the controller reconciles";
  EXPECT_FALSE(evict("p2"));
  rig.pass(seconds{1});
  EXPECT_EQ(budget()->status().disrupted_pods().size(), 0U)
      << "removed from disruptedPods when the deletion is observed";
  EXPECT_EQ(budget()->status().current_healthy(), 2);
  EXPECT_FALSE(evict("p2"));
}

TEST_F(DisruptionTest, ADisruptedPodsEntryWithoutADeletionExpiresAfterTwoMinutes) {
  rig.run<DisruptionController>();
  add_budget(1);
  add_pods(2);
  rig.pass(seconds{1});
  // With a wrong uid the allowed disruption is used up, but the pod stays.
  api::Eviction mistaken = testing::eviction_of("p0");
  mistaken.mutable_delete_options()->mutable_preconditions()->set_uid("another");
  ASSERT_FALSE(rig.server.evict("shop", "p0", mistaken));
  rig.pass(seconds{100});
  EXPECT_EQ(budget()->status().disrupted_pods().size(), 1U);
  EXPECT_EQ(budget()->status().disruptions_allowed(), 0);
  rig.pass(seconds{30});
  EXPECT_EQ(budget()->status().disrupted_pods().size(), 0U);
  EXPECT_EQ(budget()->status().disruptions_allowed(), 1);
}

TEST_F(DisruptionTest, ADisruptionTargetConditionWithoutADeletionIsResetAfterTwoMinutes) {
  rig.run<DisruptionController>();
  add_pods(1);
  const auto marked = rig.server.modify_status<api::Pod>("shop", "p0", [this](api::Pod& pod) {
    set_condition(*pod.mutable_status(), {"DisruptionTarget", "True", "PreemptionByScheduler"}, rig.agenda.wall_now());
  });
  ASSERT_TRUE(marked);
  rig.pass(seconds{110});
  EXPECT_EQ(find_condition(rig.pod("p0")->status(), "DisruptionTarget")->status(), "True");
  rig.pass(seconds{20});
  EXPECT_EQ(find_condition(rig.pod("p0")->status(), "DisruptionTarget")->status(), "False");
}

api::Deployment make_deployment(int replicas) {
  api::Deployment deployment;
  deployment.mutable_metadata()->set_name("web");
  deployment.mutable_metadata()->set_namespace_("shop");
  deployment.mutable_spec()->set_replicas(replicas);
  (*deployment.mutable_spec()->mutable_selector()->mutable_match_labels())["app"] = "web";
  (*deployment.mutable_spec()->mutable_template_()->mutable_metadata()->mutable_labels())["app"] = "web";
  testing::fill_pod_spec(*deployment.mutable_spec()->mutable_template_()->mutable_spec());
  return deployment;
}

void own(api::ObjectMeta& metadata, const char* api_version, const char* kind, const api::ObjectMeta& owner) {
  api::OwnerReference& reference = *metadata.add_owner_references();
  reference.set_api_version(api_version);
  reference.set_kind(kind);
  reference.set_name(owner.name());
  reference.set_uid(owner.uid());
  reference.set_controller(true);
}

TEST_F(DisruptionTest, MaxUnavailableUsesTheReplicasOfTheDeployment) {
  rig.run<DisruptionController>();
  const auto deployment = rig.server.create(make_deployment(5)).value();
  api::ReplicaSet set;
  set.mutable_metadata()->set_name("web-1");
  set.mutable_metadata()->set_namespace_("shop");
  set.mutable_spec()->set_replicas(2);
  *set.mutable_spec()->mutable_selector() = deployment->spec().selector();
  *set.mutable_spec()->mutable_template_() = deployment->spec().template_();
  own(*set.mutable_metadata(), "apps/v1", "Deployment", deployment->metadata());
  const auto made = rig.server.create(set).value();
  for (int i = 0; i < 4; ++i) {
    api::Pod pod = testing::make_pod("p" + std::to_string(i));
    own(*pod.mutable_metadata(), "apps/v1", "ReplicaSet", made->metadata());
    rig.add_pod(pod);
  }
  api::PodDisruptionBudget asked = testing::make_budget("pdb");
  testing::set_share(*asked.mutable_spec()->mutable_max_unavailable(), "25%");
  (void)rig.server.create(asked).value();
  rig.pass(seconds{1});
  EXPECT_EQ(budget()->status().expected_pods(), 5);
  EXPECT_EQ(budget()->status().desired_healthy(), 3);
  EXPECT_EQ(budget()->status().disruptions_allowed(), 1);
}

TEST_F(DisruptionTest, PodsOfAControllerWithoutScaleAllowNoDisruptionAndSetSyncFailed) {
  rig.run<DisruptionController>();
  api::Pod pod = testing::make_pod("p0");
  api::ObjectMeta owner;
  owner.set_name("agent");
  owner.set_uid("3b0f0d3e-0000-4000-8000-000000000000");
  own(*pod.mutable_metadata(), "apps/v1", "DaemonSet", owner);
  rig.add_pod(pod);
  api::PodDisruptionBudget asked = testing::make_budget("pdb");
  testing::set_count(*asked.mutable_spec()->mutable_max_unavailable(), 1);
  (void)rig.server.create(asked).value();
  rig.pass(seconds{1});
  EXPECT_EQ(budget()->status().disruptions_allowed(), 0);
  ASSERT_EQ(budget()->status().conditions_size(), 1);
  EXPECT_EQ(budget()->status().conditions(0).reason(), "SyncFailed");
  EXPECT_EQ(budget()->status().conditions(0).message(), "daemonsets.apps does not implement the scale subresource");
}

// For any sequence of events and any delay of the controller: evictions alone never leave fewer healthy pods than the
// budget demands.
RC_GTEST_PROP(Disruption, EvictionsNeverLeaveFewerHealthyPodsThanDesired, ()) {
  LifecycleRig rig;
  rig.run<DisruptionController>();
  const int count = *rc::gen::inRange(1, 8);
  const int least = *rc::gen::inRange(0, count + 1);
  api::PodDisruptionBudget asked = testing::make_budget("pdb");
  testing::set_count(*asked.mutable_spec()->mutable_min_available(), least);
  (void)rig.server.create(asked).value();
  for (int i = 0; i < count; ++i) rig.add_pod(testing::make_pod("p" + std::to_string(i)));
  const auto healthy = [&rig] {
    int sum = 0;
    for (const PodView* pod : rig.pods.select("shop", kube::LabelSelector::everything())) {
      sum += pod->ready() && !pod->terminating() ? 1 : 0;
    }
    return sum;
  };
  const auto steps = *rc::gen::container<std::vector<std::pair<int, int>>>(
      rc::gen::pair(rc::gen::inRange(0, 5), rc::gen::inRange(0, count)));
  for (const auto& [what, which] : steps) {
    const std::string name = "p" + std::to_string(which);
    const auto pod = rig.pod(name);
    const bool here = pod && !pod->metadata().has_deletion_timestamp();
    const int before = healthy();
    switch (what) {
      case 0:
      case 1: {
        const bool was_ready = pod && is_ready(*pod);
        const auto evicted = rig.server.evict("shop", name, testing::eviction_of(name));
        if (evicted && here && was_ready) RC_ASSERT(before - 1 >= least);
        break;
      }
      case 2:
        if (here) rig.report(name, "Running", false);
        break;
      case 3:
        if (here) rig.report(name, "Running", true);
        break;
      default: rig.pass(std::chrono::milliseconds{7});
    }
    // Only a pod failure between two reconciles is unknown to the budget at the next eviction.
    if (what == 2) rig.pass(std::chrono::milliseconds{7});
  }
}

}  // namespace
}  // namespace rescheduler::sim
