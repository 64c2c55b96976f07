#include "sim/kubelet/kubelet_fixture.h"

namespace rescheduler::sim {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::StartsWith;

class PodLifeTest : public KubeletFixture {
 protected:
  PodLifeTest() { add_node("n1"); }
};

TEST_F(PodLifeTest, ABoundPodStartsAndBecomesReady) {
  create(pod("a"));
  agenda.run_for(1s);
  EXPECT_EQ(phase("a"), "Pending");
  EXPECT_EQ(main("a").state().waiting().reason(), "ContainerCreating");
  EXPECT_TRUE(get("a")->status().has_start_time());
  EXPECT_EQ(get("a")->status().host_ip(), "172.16.0.1");
  EXPECT_EQ(condition("a", "PodScheduled"), "True");
  EXPECT_EQ(condition("a", "PodReadyToStartContainers"), "False");
  EXPECT_EQ(condition("a", "Initialized"), "True");
  EXPECT_EQ(condition("a", "Ready"), "False ContainersNotReady");
  agenda.run_for(2s);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(main("a").state().running().started_at().seconds(), 1'704'067'202);
  EXPECT_TRUE(main("a").ready());
  EXPECT_TRUE(main("a").started());
  EXPECT_TRUE(main("a").has_last_state());  // Kubernetes writes lastState even if it is empty
  EXPECT_THAT(main("a").container_id(), StartsWith("containerd://"));
  EXPECT_THAT(main("a").image_id(), StartsWith("app:1@sha256:"));
  EXPECT_THAT(get("a")->status().pod_ip(), StartsWith("10."));
  EXPECT_EQ(get("a")->status().pod_ips(0).ip(), get("a")->status().pod_ip());
  for (const auto type : {"PodReadyToStartContainers", "Initialized", "ContainersReady", "Ready", "PodScheduled"})
    EXPECT_EQ(condition("a", type), "True") << type;
  EXPECT_THAT(event_reasons(), IsSupersetOf({"Pulled", "Created", "Started"}));
}

TEST_F(PodLifeTest, TheLoadOfAPodStartsAndEndsWithItsContainers) {
  api::Pod a = pod("a");
  annotate(a, kCpuProfile, "700m");
  create(a);
  agenda.run_for(1s);
  EXPECT_FALSE(load.pod_usage("web", "a"));
  agenda.run_for(2s);
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 700'000);
  ASSERT_TRUE(server.modify<api::Pod>("web", "a", [](api::Pod& changed) {
    (*changed.mutable_metadata()->mutable_annotations())[std::string(kCpuProfile)] = "200m";
  }));
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 200'000);
  remove("a");
  agenda.run_for(2s);
  EXPECT_FALSE(load.pod_usage("web", "a"));
}

TEST_F(PodLifeTest, AnUnboundPodStartsOnlyAfterItIsBound) {
  create(pod("a", ""));
  agenda.run_for(1min);
  EXPECT_EQ(get("a")->status().container_statuses_size(), 0);
  api::Binding binding;
  binding.mutable_metadata()->set_name("a");
  binding.mutable_target()->set_kind("Node");
  binding.mutable_target()->set_name("n1");
  ASSERT_TRUE(server.bind("web", "a", binding));
  agenda.run_for(3s);
  EXPECT_EQ(phase("a"), "Running");
}

TEST_F(PodLifeTest, APodStartsOnlyAfterItsNodeExists) {
  create(pod("a", "n2"));
  agenda.run_for(1min);
  EXPECT_EQ(get("a")->status().container_statuses_size(), 0);
  add_node("n2");
  agenda.run_for(3s);
  EXPECT_EQ(phase("a"), "Running");
}

TEST_F(PodLifeTest, InitContainersRunOneAfterAnother) {
  api::Pod a = pod("a");
  add_init(a, "first");
  add_init(a, "second");
  create(a);
  agenda.run_for(2500ms);
  const auto inits = get("a")->status().init_container_statuses();
  EXPECT_TRUE(inits[0].state().has_running());
  EXPECT_TRUE(inits[1].state().has_waiting());
  EXPECT_EQ(main("a").state().waiting().reason(), "PodInitializing");
  EXPECT_EQ(condition("a", "Initialized"), "False ContainersNotInitialized");
  EXPECT_EQ(phase("a"), "Pending");
  agenda.run_for(1s);
  EXPECT_EQ(get("a")->status().init_container_statuses(0).state().terminated().reason(), "Completed");
  EXPECT_TRUE(get("a")->status().init_container_statuses(0).ready());
  EXPECT_TRUE(get("a")->status().init_container_statuses(1).state().has_running());
  agenda.run_for(1s);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(condition("a", "Initialized"), "True");
}

TEST_F(PodLifeTest, ASidecarRunsBesideTheContainersAndEndsAfterTheContainers) {
  api::Pod a = pod("a");
  add_init(a, "mesh", true);
  add_init(a, "setup");
  a.mutable_spec()->set_restart_policy("Never");
  annotate(a, kRunFor, "60s");
  create(a);
  agenda.run_for(5s);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_TRUE(get("a")->status().init_container_statuses(0).state().has_running());
  EXPECT_TRUE(get("a")->status().init_container_statuses(0).ready());
  EXPECT_EQ(load.pod_sample("web", "a"), std::nullopt);
  agenda.run_for(1min);
  EXPECT_EQ(phase("a"), "Succeeded");
  EXPECT_TRUE(get("a")->status().init_container_statuses(0).state().has_terminated());
}

TEST_F(PodLifeTest, APodBecomesReadyAfterItsReadyDelay) {
  api::Pod a = pod("a");
  annotate(a, kReadyDelay, "10s");
  create(a);
  agenda.run_for(11s);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(condition("a", "Ready"), "False ContainersNotReady");
  agenda.run_for(2s);
  EXPECT_EQ(condition("a", "Ready"), "True");
}

TEST_F(PodLifeTest, AReadinessProbeDelaysReadinessByItsInitialDelayAndLessThanOnePeriod) {
  api::Pod a = pod("a");
  auto& probe = *a.mutable_spec()->mutable_containers(0)->mutable_readiness_probe();
  probe.mutable_handler()->mutable_tcp_socket()->mutable_port()->set_int_val(80);
  probe.set_initial_delay_seconds(20);
  probe.set_period_seconds(5);
  create(a);
  agenda.run_for(21s);
  EXPECT_EQ(condition("a", "Ready"), "False ContainersNotReady");
  agenda.run_for(7s);
  EXPECT_EQ(condition("a", "Ready"), "True");
}

TEST_F(PodLifeTest, APodIsReadyOnlyAfterItsReadinessGateIsTrue) {
  api::Pod a = pod("a");
  a.mutable_spec()->add_readiness_gates()->set_condition_type("example.com/lb");
  create(a);
  agenda.run_for(3s);
  EXPECT_EQ(condition("a", "ContainersReady"), "True");
  EXPECT_EQ(condition("a", "Ready"), "False ReadinessGatesNotReady");
  ASSERT_TRUE(server.modify_status<api::Pod>("web", "a", [this](api::Pod& object) {
    set_condition(*object.mutable_status(), {"example.com/lb", "True"}, agenda.wall_now());
  }));
  agenda.run_for(1s);
  EXPECT_EQ(condition("a", "Ready"), "True");
}

TEST_F(PodLifeTest, ACrashingContainerIsRestartedWithDoublingBackoff) {
  api::Pod a = pod("a");
  annotate(a, kCrashOn, "n1");
  create(a);
  std::vector<std::int64_t> starts;
  std::string message;
  for (int i = 0; i < 1500; ++i) {
    agenda.run_for(1s);
    const auto status = main("a");
    if (status.state().waiting().reason() == "CrashLoopBackOff" && message.empty())
      message = status.state().waiting().message();
    if (!status.state().has_running()) continue;
    const std::int64_t started = status.state().running().started_at().seconds();
    if (starts.empty() || starts.back() != started) starts.push_back(started);
  }
  std::vector<std::int64_t> gaps;
  for (std::size_t i = 1; i < starts.size(); ++i) gaps.push_back(starts[i] - starts[i - 1] - 2);  // each run lasts 2 s
  EXPECT_THAT(std::vector(gaps.begin(), gaps.begin() + 8), testing::ElementsAre(0, 10, 20, 40, 80, 160, 300, 300));
  EXPECT_THAT(message, StartsWith("back-off 10s restarting failed container=main pod=a_web("));
  EXPECT_EQ(main("a").restart_count(), static_cast<int>(gaps.size()));
  EXPECT_EQ(main("a").last_state().terminated().exit_code(), 1);
  EXPECT_EQ(main("a").last_state().terminated().reason(), "Error");
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_THAT(event_reasons(), Contains("BackOff"));
}

TEST_F(PodLifeTest, PodsThatAreNotRestartedSucceedOrFailLikeTheirContainers) {
  api::Pod fine = pod("fine");
  fine.mutable_spec()->set_restart_policy("OnFailure");
  annotate(fine, kRunFor, "10s");
  create(fine);
  api::Pod bad = pod("bad");
  bad.mutable_spec()->set_restart_policy("Never");
  annotate(bad, kRunFor, "10s");
  annotate(bad, kExitCode, "3");
  create(bad);
  agenda.run_for(11s);
  EXPECT_EQ(phase("fine"), "Running");
  agenda.run_for(2s);
  EXPECT_EQ(phase("fine"), "Succeeded");
  EXPECT_EQ(main("fine").state().terminated().reason(), "Completed");
  EXPECT_EQ(condition("fine", "Ready"), "False PodCompleted");
  EXPECT_EQ(phase("bad"), "Failed");
  EXPECT_EQ(main("bad").state().terminated().exit_code(), 3);
  EXPECT_EQ(condition("bad", "Ready"), "False PodFailed");
  EXPECT_FALSE(load.pod_usage("web", "bad"));
  EXPECT_EQ(kubelets.tracked_pods(), 0u);
}

TEST_F(PodLifeTest, AFailedContainerIsRestartedWithRestartPolicyOnFailure) {
  api::Pod a = pod("a");
  a.mutable_spec()->set_restart_policy("OnFailure");
  annotate(a, kRunFor, "5s");
  annotate(a, kExitCode, "1");
  create(a);
  agenda.run_for(8s);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_EQ(main("a").restart_count(), 1);
}

TEST_F(PodLifeTest, TheNodeRejectsAPodThatDoesNotFit) {
  api::Pod large = pod("large");
  request(large, "cpu", "3");
  create(large);
  agenda.run_for(1s);
  api::Pod more = pod("more");
  request(more, "cpu", "1500m");
  create(more);
  agenda.run_for(1s);
  EXPECT_EQ(phase("more"), "Failed");
  EXPECT_EQ(get("more")->status().reason(), "OutOfcpu");
  EXPECT_EQ(get("more")->status().message(),
            "Pod was rejected: Node didn't have enough resource: cpu, requested: 1500, used: 3000, capacity: 4000");
  remove("large");
  agenda.run_for(2s);
  api::Pod again = pod("again");
  request(again, "cpu", "4");
  create(again);
  agenda.run_for(3s);
  EXPECT_EQ(phase("again"), "Running");
}

TEST_F(PodLifeTest, APodFailsAfterItsActiveDeadline) {
  api::Pod a = pod("a");
  a.mutable_spec()->set_active_deadline_seconds(60);
  create(a);
  agenda.run_for(59s);
  EXPECT_EQ(phase("a"), "Running");
  agenda.run_for(2s);
  EXPECT_EQ(phase("a"), "Failed");
  EXPECT_EQ(get("a")->status().reason(), "DeadlineExceeded");
  EXPECT_TRUE(main("a").state().has_terminated());
}

TEST_F(PodLifeTest, InvalidAnnotationsAreReportedAsEventsAndIgnored) {
  api::Pod a = pod("a");
  annotate(a, kRunFor, "a while");
  annotate(a, kCpuProfile, "lots");
  create(a);
  agenda.run_for(3s);
  EXPECT_EQ(phase("a"), "Running");
  EXPECT_THAT(event_reasons(), IsSupersetOf({"InvalidAnnotation", "InvalidLoadProfile"}));
}

TEST_F(PodLifeTest, EachPodHasItsOwnAddressAndAHostNetworkPodHasTheNodeAddress) {
  std::set<std::string> seen;
  for (int i = 0; i < 50; ++i) create(pod("p" + std::to_string(i)));
  agenda.run_for(3s);
  for (int i = 0; i < 50; ++i) seen.insert(get("p" + std::to_string(i))->status().pod_ip());
  EXPECT_EQ(seen.size(), 50u);
  api::Pod host = pod("host");
  host.mutable_spec()->set_host_network(true);
  create(host);
  agenda.run_for(3s);
  EXPECT_EQ(get("host")->status().pod_ip(), "172.16.0.1");
}

TEST_F(PodLifeTest, KubeletsStartedLaterAdoptRunningPods) {
  create(pod("a"));
  agenda.run_for(10s);
  const std::string id = main("a").container_id();
  LoadModel other_load(agenda, SeriesLibrary("/nowhere"));
  Kubelets successor(server, other_load, Rng(9), exact());
  agenda.run_for(10s);
  EXPECT_EQ(main("a").container_id(), id);
  EXPECT_TRUE(other_load.pod_usage("web", "a"));
}

}  // namespace
}  // namespace rescheduler::sim
