// Which events make an unschedulable pod schedulable again, and which do not.
#include <algorithm>

#include <gtest/gtest.h>

#include "support/objects.h"
#include "support/scheduler.h"

namespace rescheduler::test {
namespace {

class UnschedulablePods : public SchedulingTest {
 protected:
  // Waits until the scheduler has seen the writes so far: it labels the node and waits for that last write.
  void until_seen(TestScheduler& scheduler, const std::string& node, const std::string& label) {
    patch_node(node, R"({"metadata": {"labels": {")" + label + R"(": "yes"}}})");
    EXPECT_TRUE(eventually([&] {
      bool seen = false;
      scheduler.with_scheduler([&](scheduler::Scheduler& at) {
        const auto found = at.cluster().find_node(node);
        if (!found) return;
        const auto key = at.cluster().interner().symbols.intern(label);
        const auto& labels = at.cluster().node(*found).node->labels;
        seen = std::ranges::any_of(labels, [&](const auto& one) { return one.first == key; });
      });
      return seen;
    }));
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(UnschedulablePods);

TEST_P(UnschedulablePods, PodsThatWaitWithoutAnyNodeAreBoundToTheFirstNode) {
  start_scheduler();
  add_pod("one");
  add_pod("two");
  const std::string message = wait_unschedulable("one");
  if (GetParam() != Tier::Real) {
    EXPECT_EQ(message, "no nodes available to schedule pods");
  }
  wait_unschedulable("two");
  const std::string node = add_node("a");
  EXPECT_EQ(lands_on("one"), node);
  EXPECT_EQ(lands_on("two"), node);
}

TEST_P(UnschedulablePods, APodThatDoesNotFitIsBoundToANewNode) {
  add_node("a", R"({"status": {"allocatable": {"cpu": "1"}, "capacity": {"cpu": "1"}}})");
  start_scheduler();
  add_pod("large", "{\"spec\": {" + cpu_request("4") + "}}");
  wait_unschedulable("large");
  const std::string larger = add_node("b");
  EXPECT_EQ(lands_on("large"), larger);
}

TEST_P(UnschedulablePods, AnIncreaseOfAllocatableMakesAPodSchedulable) {
  const std::string node = add_node("a", R"({"status": {"allocatable": {"cpu": "1"}, "capacity": {"cpu": "1"}}})");
  start_scheduler();
  add_pod("large", "{\"spec\": {" + cpu_request("4") + "}}");
  wait_unschedulable("large");
  auto grown = await(client().patch<api::Node>(
      "", node, R"({"status": {"allocatable": {"cpu": "8"}, "capacity": {"cpu": "8"}}})", status_patch()));
  ASSERT_TRUE(grown) << grown.error().message;
  EXPECT_EQ(lands_on("large"), node);
}

TEST_P(UnschedulablePods, ANodeDeletedWhilePodsWaitIsRemovedFromTheCache) {
  const std::string first = add_node("a", R"({"status": {"allocatable": {"cpu": "1"}, "capacity": {"cpu": "1"}}})");
  auto& scheduler = start_scheduler();
  add_pod("large", "{\"spec\": {" + cpu_request("4") + "}}");
  wait_unschedulable("large");
  remove_node(first);
  EXPECT_TRUE(eventually([&] {
    bool known = true;
    scheduler.with_scheduler([&](scheduler::Scheduler& at) { known = at.cluster().find_node(first).has_value(); });
    return !known;
  }));
  const std::string second = add_node("b");
  EXPECT_EQ(lands_on("large"), second);
}

TEST_P(UnschedulablePods, ANodeDeletedDuringABindingDoesNotBlockLaterPods) {
  const std::string first = add_node("a");
  auto& scheduler = start_scheduler();
  scheduler.with_api([](FaultInjectingApi& api) { api.hold_bindings(); });
  add_pod("p");
  ASSERT_TRUE(eventually([&] { return scheduler.held() == 1; }));
  EXPECT_EQ(scheduler.assumed(), 1U);
  remove_node(first);
  const std::string second = add_node("b");
  scheduler.with_api([](FaultInjectingApi& api) { api.release_bindings(); });
  // The API server accepts a binding to a deleted node; a controller removes the pod later.
  EXPECT_TRUE(eventually([&] { return scheduler.assumed() == 0; }));
  add_pod("next");
  EXPECT_EQ(lands_on("next"), second);
}

TEST_P(UnschedulablePods, AChangeOfAPodsOwnLabelsMakesThePodSchedulable) {
  const std::string node = add_node("a");
  start_scheduler();
  add_pod("guard", R"({"metadata": {"labels": {"app": "guard"}}, "spec": {"affinity": {"podAntiAffinity":
    {"requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "kubernetes.io/hostname",
      "labelSelector": {"matchLabels": {"loud": "yes"}}}]}}}})");
  EXPECT_EQ(lands_on("guard"), node);
  add_pod("loud", R"({"metadata": {"labels": {"loud": "yes"}}})");
  wait_unschedulable("loud");
  ASSERT_TRUE(await(client().patch<api::Pod>(ns(), "loud", R"({"metadata": {"labels": {"loud": null}}})")));
  EXPECT_EQ(lands_on("loud"), node);
}

// Its own real cluster, because attempts are counted exactly: on the shared one, a deleted pod of another test may
// requeue the large pod.
class UnschedulablePodsAlone : public UnschedulablePods {
 protected:
  std::vector<std::string> own_rig() const override {
    return {"--with", "etcd,kube-apiserver,kube-controller-manager,kwok"};
  }
};
RESCHEDULER_ON_EVERY_CLUSTER(UnschedulablePodsAlone);

TEST_P(UnschedulablePodsAlone, HeartbeatsAndIrrelevantLabelsDoNotRequeuePods) {
  const std::string node = add_node("a");
  auto& scheduler = start_scheduler();
  add_pod("large", "{\"spec\": {" + cpu_request("40") + "}}");
  add_pod("picky", R"({"spec": {"nodeSelector": {"disk": "tape"}}})");
  wait_unschedulable("large");
  wait_unschedulable("picky");
  const double before = scheduler.attempts();
  for (int beat = 0; beat < 3; ++beat) {
    auto done = await(client().patch<api::Node>(
        "", node,
        fmt::format(R"({{"status": {{"conditions": [{{"type": "Ready", "status": "True", "reason": "KubeletReady",
                       "lastHeartbeatTime": "2030-01-01T00:00:0{}Z", "lastTransitionTime": "2024-01-01T00:00:00Z"}}]}}}})",
                    beat),
        [] {
          auto options = status_patch();
          options.kind = kube::PatchKind::StrategicMerge;
          return options;
        }()));
    ASSERT_TRUE(done) << done.error().message;
  }
  until_seen(scheduler, node, "irrelevant");
  EXPECT_EQ(scheduler.attempts(), before);
  patch_node(node, R"({"metadata": {"labels": {"disk": "tape"}}})");
  EXPECT_EQ(lands_on("picky"), node);
  EXPECT_TRUE(eventually([&] { return scheduler.attempts() > before; }));
  EXPECT_EQ(scheduler.attempts(), before + 1) << "the label does not requeue the large pod";
}

}  // namespace
}  // namespace rescheduler::test
