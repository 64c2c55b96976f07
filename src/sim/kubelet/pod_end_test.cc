#include "sim/kubelet/kubelet_fixture.h"

namespace rescheduler::sim {
namespace {

using testing::Contains;

class PodEndTest : public KubeletFixture {
 protected:
  PodEndTest() {
    add_node("n1");
    create(pod("a"));
    agenda.run_for(5s);
  }
  // The last state that watchers of a pod saw.
  std::shared_ptr<const api::Pod> last_seen;
  std::unique_ptr<Store::Subscription> subscription =
      server.store().subscribe(&server.kinds().of<api::Pod>(), [this](const Change& change) {
        if (change.what == Change::What::Deleted) last_seen = change.after->as<api::Pod>();
      });
};

TEST_F(PodEndTest, ADeletedPodIsRemovedAfterItsContainersHaveStopped) {
  remove("a");
  agenda.run_for(500ms);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_TRUE(get("a")->metadata().has_deletion_timestamp());
  agenda.run_for(1s);
  EXPECT_EQ(phase("a"), "gone");
  ASSERT_TRUE(last_seen);
  EXPECT_EQ(last_seen->status().phase(), "Succeeded");
  EXPECT_EQ(last_seen->status().container_statuses(0).state().terminated().exit_code(), 0);
  EXPECT_EQ(find_condition(last_seen->status(), "Ready")->status(), "False");
  EXPECT_THAT(event_reasons(), Contains("Killing"));
  EXPECT_EQ(kubelets.tracked_pods(), 0u);
}

TEST_F(PodEndTest, ContainersAreKilledAtTheEndOfTheGracePeriod) {
  KubeletSettings slow = exact();
  slow.stop_time = 1min;
  KubeletRig rig(slow);
  rig.add_node("n1");
  rig.create(pod("a"));
  rig.agenda.run_for(5s);
  std::shared_ptr<const api::Pod> last;
  const auto watch = rig.server.store().subscribe(
      &rig.server.kinds().of<api::Pod>(), [&last](const Change& change) { last = change.after->as<api::Pod>(); });
  rig.remove("a", 30);
  rig.agenda.run_for(10s);
  rig.remove("a", 15);  // a second deletion can only shorten the grace period
  rig.agenda.run_for(14s);
  EXPECT_EQ(rig.phase("a"), "Running");
  rig.agenda.run_for(2s);
  EXPECT_EQ(rig.phase("a"), "gone");
  EXPECT_EQ(last->status().container_statuses(0).state().terminated().exit_code(), 137);
  EXPECT_EQ(last->status().phase(), "Failed");
}

TEST_F(PodEndTest, AFinalizerKeepsThePodObjectButNotItsContainers) {
  ASSERT_TRUE(server.modify<api::Pod>(
      "web", "a", [](api::Pod& object) { object.mutable_metadata()->add_finalizers("example.com/keep"); }));
  remove("a");
  agenda.run_for(1min);
  ASSERT_EQ(phase("a"), "Succeeded");
  EXPECT_FALSE(load.pod_usage("web", "a"));
  ASSERT_TRUE(
      server.modify<api::Pod>("web", "a", [](api::Pod& object) { object.mutable_metadata()->clear_finalizers(); }));
  EXPECT_EQ(phase("a"), "gone");
}

TEST_F(PodEndTest, APodDeletedBeforeItsStartIsRemovedImmediately) {
  create(pod("b"));
  agenda.run_for(1s);
  remove("b");
  agenda.run_for(100ms);
  EXPECT_EQ(phase("b"), "gone");
}

TEST_F(PodEndTest, ContainersOfAForceDeletedPodStopSoonAfterwards) {
  remove("a", 0);
  EXPECT_EQ(phase("a"), "gone");
  EXPECT_TRUE(load.pod_usage("web", "a"));
  agenda.run_for(2s);
  EXPECT_FALSE(load.pod_usage("web", "a"));
}

TEST_F(PodEndTest, ANewPodOfTheSameNameStartsIndependently) {
  remove("a", 0);
  create(pod("a"));
  agenda.run_for(500ms);
  EXPECT_EQ(phase("a"), "Pending");
  agenda.run_for(3s);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(load.node_usage("n1")->pods, 1u);
}

}  // namespace
}  // namespace rescheduler::sim
