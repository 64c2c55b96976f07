#include "sim/kubelet/kubelet_fixture.h"

namespace rescheduler::sim {
namespace {

using testing::Contains;
using testing::HasSubstr;

class FaultTest : public KubeletFixture {
 protected:
  FaultTest() {
    add_node("n1");
    add_node("n2");
  }
};

TEST_F(FaultTest, AFailedImagePullIsRetriedWithBackoffUntilItSucceeds) {
  api::Pod a = pod("a");
  annotate(a, kImagePullFailsOn, "n7, n1");
  create(a);
  agenda.run_for(2500ms);
  EXPECT_EQ(main("a").state().waiting().reason(), "ErrImagePull");
  agenda.run_for(1s);
  EXPECT_EQ(main("a").state().waiting().reason(), "ImagePullBackOff");
  EXPECT_THAT(main("a").state().waiting().message(), HasSubstr("Back-off pulling image \"app:1\""));
  EXPECT_EQ(phase("a"), "Pending");
  agenda.run_for(5min);
  EXPECT_EQ(phase("a"), "Pending");
  EXPECT_EQ(main("a").restart_count(), 0);
  ASSERT_TRUE(
      server.modify<api::Pod>("web", "a", [](api::Pod& object) { object.mutable_metadata()->clear_annotations(); }));
  agenda.run_for(6min);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(main("a").restart_count(), 0);
  EXPECT_THAT(event_reasons(), Contains("Failed"));
}

TEST_F(FaultTest, AFaultAppliesOnlyOnTheNodesThatItsAnnotationNames) {
  api::Pod a = pod("a", "n2");
  annotate(a, kImagePullFailsOn, "n1");
  annotate(a, kCrashOn, "n1,n3");
  create(a);
  agenda.run_for(1min);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(main("a").restart_count(), 0);
}

TEST_F(FaultTest, AnOomFaultIsReportedAsOomKilled) {
  api::Pod a = pod("a");
  annotate(a, kOomOn, "*");
  create(a);
  agenda.run_for(10s);
  EXPECT_EQ(main("a").last_state().terminated().reason(), "OOMKilled");
  EXPECT_EQ(main("a").last_state().terminated().exit_code(), 137);
}

TEST_F(FaultTest, AContainerAboveItsMemoryLimitIsOomKilled) {
  api::Pod a = pod("a");
  annotate(a, kMemoryProfile, "ramp from=100Mi to=1Gi over=100s");
  (*a.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_limits())["memory"].set_string("500Mi");
  create(a);
  agenda.run_for(40s);
  EXPECT_EQ(main("a").restart_count(), 0);
  agenda.run_for(30s);
  EXPECT_EQ(main("a").restart_count(), 1);
  EXPECT_EQ(main("a").last_state().terminated().reason(), "OOMKilled");
}

TEST_F(FaultTest, AFullNodeKillsThePodThatExceedsItsRequestMost) {
  for (const auto& [name, memory] : {std::pair{"modest", "6Gi"}, {"greedy", "ramp from=1Gi to=30Gi over=5m"}}) {
    api::Pod added = pod(name);
    request(added, "memory", "2Gi");
    annotate(added, kMemoryProfile, memory);
    create(added);
  }
  agenda.run_for(4min);
  EXPECT_GE(main("greedy").restart_count(), 1);
  EXPECT_EQ(main("modest").restart_count(), 0);
}

TEST_F(FaultTest, AnUnreadyFaultOfTheFaultBoardMakesThePodUnreadyUntilItIsCleared) {
  create(pod("a"));
  agenda.run_for(5s);
  kubelets.faults().set_pod("web", "a", {.unready = true});
  agenda.run_for(1s);
  EXPECT_EQ(condition("a", "Ready"), "False ContainersNotReady");
  EXPECT_EQ(phase("a"), "Running");
  kubelets.faults().set_pod("web", "a", {});
  agenda.run_for(1s);
  EXPECT_EQ(condition("a", "Ready"), "True");
  EXPECT_THAT(event_reasons(), Contains("Unhealthy"));
}

TEST_F(FaultTest, ACrashFaultOfARunningPodAppliesUntilItIsCleared) {
  create(pod("a"));
  agenda.run_for(5s);
  kubelets.faults().set_pod("web", "a", {.crash = true});
  agenda.run_for(30s);
  EXPECT_THAT(event_reasons(), Contains("BackOff"));
  kubelets.faults().set_pod("web", "a", {});
  agenda.run_for(120s);
  EXPECT_EQ(condition("a", "Ready"), "True");
}

TEST_F(FaultTest, ASlowNodeNeedsTenTimesAsLongToStartAPod) {
  annotate_node("n1", kNodeFault, "slow");
  create(pod("a"));
  agenda.run_for(19s);
  EXPECT_EQ(phase("a"), "Pending");
  agenda.run_for(2s);
  EXPECT_EQ(phase("a"), "Running");
}

TEST_F(FaultTest, AFrozenNodeNeitherReportsNorActsButItsContainersKeepRunning) {
  create(pod("a"));
  create(pod("b"));
  agenda.run_for(5s);
  annotate_node("n1", kNodeFault, "frozen");
  create(pod("c"));
  remove("a");
  remove("b", 0);
  agenda.run_for(1min);
  const auto lease = server.find<api::Lease>("kube-node-lease", "n1");
  EXPECT_LT(lease->spec().renew_time().seconds(), 1'704'067'210);
  EXPECT_TRUE(load.pod_usage("web", "a"));
  EXPECT_EQ(load.node_usage("n1")->pods, 2u);
  EXPECT_FALSE(load.node_sample("n1"));
  EXPECT_TRUE(load.node_counters("n1"));
  EXPECT_EQ(get("c")->status().container_statuses_size(), 0);
  EXPECT_EQ(phase("a"), "Running");
  annotate_node("n1", kNodeFault, "");
  agenda.run_for(5s);
  EXPECT_EQ(phase("a"), "gone");
  EXPECT_EQ(phase("c"), "Running");
  EXPECT_EQ(load.node_usage("n1")->pods, 1u);
  EXPECT_GT(server.find<api::Lease>("kube-node-lease", "n1")->spec().renew_time().seconds(), 1'704'067'260);
}

TEST_F(FaultTest, ARecoveredNodeReportsItselfAndItsPodsReadyAgain) {
  create(pod("a"));
  agenda.run_for(5s);
  kubelets.faults().set_node("n1", NodeFault::Frozen);
  ASSERT_TRUE(server.modify_status<api::Pod>("web", "a", [this](api::Pod& object) {
    set_condition(*object.mutable_status(), {"Ready", "False"}, agenda.wall_now());
  }));
  ASSERT_TRUE(server.modify_status<api::Node>({}, "n1", [](api::Node& node) {
    for (auto& condition : *node.mutable_status()->mutable_conditions()) condition.set_status("Unknown");
  }));
  agenda.run_for(1min);
  EXPECT_EQ(condition("a", "Ready"), "False");
  kubelets.faults().set_node("n1", std::nullopt);
  agenda.run_for(1s);
  EXPECT_EQ(condition("a", "Ready"), "True");
  EXPECT_EQ(main("a").restart_count(), 0);
  const auto node = server.find<api::Node>({}, "n1");
  for (const auto& condition : node->status().conditions())
    EXPECT_EQ(condition.status(), condition.type() == "Ready" ? "True" : "False");
}

TEST_F(FaultTest, ADeadNodeStopsItsContainersAndRestartsThemAfterRecovery) {
  create(pod("a"));
  create(pod("b"));
  create(pod("c"));
  agenda.run_for(5s);
  annotate_node("n1", kNodeFault, "dead");
  remove("b");
  remove("c", 0);
  agenda.run_for(1min);
  EXPECT_FALSE(load.node_usage("n1"));
  EXPECT_EQ(phase("a"), "Running");  // no kubelet reports a change
  EXPECT_EQ(phase("b"), "Running");
  annotate_node("n1", kNodeFault, "");
  agenda.run_for(5s);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(main("a").restart_count(), 1);
  EXPECT_EQ(main("a").last_state().terminated().exit_code(), 255);
  EXPECT_EQ(condition("a", "Ready"), "True");
  EXPECT_EQ(phase("b"), "gone");
  EXPECT_EQ(load.node_usage("n1")->pods, 1u);
  EXPECT_GT(load.node_counters("n1")->boot, 1'704'067'260'000);
}

TEST_F(FaultTest, APodWithRestartPolicyNeverFailsWhenItsDeadNodeRecovers) {
  api::Pod a = pod("a");
  a.mutable_spec()->set_restart_policy("Never");
  create(a);
  agenda.run_for(5s);
  kubelets.faults().set_node("n1", NodeFault::Dead);
  agenda.run_for(1min);
  kubelets.faults().set_node("n1", std::nullopt);
  agenda.run_for(1min);
  EXPECT_EQ(phase("a"), "Failed");
  EXPECT_EQ(main("a").state().terminated().exit_code(), 255);
  EXPECT_EQ(main("a").restart_count(), 0);
}

TEST_F(FaultTest, DeletingANodeObjectStopsItsContainersAndARecreatedNodeRestartsThem) {
  create(pod("a"));
  agenda.run_for(5s);
  ASSERT_TRUE(server.remove(server.kinds().of<api::Node>(), {}, "n1", {}));
  EXPECT_FALSE(load.node_usage("n1"));
  agenda.run_for(1min);
  add_node("n1");
  agenda.run_for(5s);
  EXPECT_EQ(main("a").restart_count(), 1);
}

TEST_F(FaultTest, AContainerThatEndsOnAFrozenNodeUsesNoCpuAndIsReportedAfterRecovery) {
  api::Pod a = pod("a");
  annotate(a, kRunFor, "30s");
  create(a);
  agenda.run_for(5s);
  kubelets.faults().set_node("n1", NodeFault::Frozen);
  agenda.run_for(1min);
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 0);
  EXPECT_EQ(phase("a"), "Running");
  kubelets.faults().set_node("n1", std::nullopt);
  agenda.run_for(100ms);
  EXPECT_TRUE(main("a").state().has_terminated());
}

}  // namespace
}  // namespace rescheduler::sim
