#include "sim/load/load_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/load/load_fixture.h"
#include "sim/load/node_text.h"

namespace rescheduler::sim {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;

class LoadModelTest : public testing::Test, protected LoadRig {
 protected:
  LoadModelTest() { load.node_on("n1", 4 * kCore, 16 * kGi); }
};

TEST_F(LoadModelTest, TheUsageOfANodeIsTheUsageOfItsPodsPlusTheSystem) {
  LoadModel own(agenda, SeriesLibrary("/nowhere"));
  own.node_on("n1", 4 * kCore, 16 * kGi);
  EXPECT_EQ(own.node_usage("n1")->cpu, 60'000);
  run(pod("a", "500m", "1Gi"));
  run(pod("b", "250m", "2Gi"));
  EXPECT_EQ(load.node_usage("n1")->cpu, 750'000);
  EXPECT_EQ(load.node_usage("n1")->memory, 3 * kGi);
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 500'000);
  EXPECT_EQ(load.pod_usage("web", "b")->memory, 2 * kGi);
  EXPECT_FALSE(load.pod_usage("web", "c"));
  EXPECT_FALSE(load.node_usage("n2"));
}

TEST_F(LoadModelTest, APodThatHasNotStartedOrHasStoppedUsesNothing) {
  const auto id = load.start(pod("a", "500m"), "n1");
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 0);
  load.set_running(id, 1);
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 500'000);
  load.set_running(id, 0);
  EXPECT_EQ(load.node_usage("n1")->cpu, 0);
  load.stop(id);
  EXPECT_FALSE(load.pod_usage("web", "a"));
  EXPECT_EQ(load.node_usage("n1")->pods, 0u);
}

TEST_F(LoadModelTest, WithoutAProfileAPodUsesAboutHalfOfItsRequest) {
  run(pod("a", "", ""));
  EXPECT_NEAR(static_cast<double>(load.pod_usage("web", "a")->cpu), 500'000, 180'000);
  EXPECT_EQ(load.pod_usage("web", "a")->memory, kGi / 2);
}

TEST_F(LoadModelTest, AnInvalidProfileIsReportedAndTreatedAsNoProfile) {
  const auto id = run(pod("a", "lots"));
  EXPECT_THAT(load.shape(id).fault, HasSubstr("\"lots\" is neither"));
  EXPECT_NEAR(static_cast<double>(load.pod_usage("web", "a")->cpu), 500'000, 180'000);
}

TEST_F(LoadModelTest, PodsOfOneTemplateShareTheirShape) {
  const auto a = run(pod("a", "200m"));
  const auto b = run(pod("b", "200m"));
  const auto c = run(pod("c", "300m"));
  EXPECT_EQ(&load.shape(a), &load.shape(b));
  EXPECT_NE(&load.shape(a), &load.shape(c));
}

TEST_F(LoadModelTest, AContendedNodeSharesCpuByRequestsAndReportsTheWaitingTime) {
  api::Pod small = pod("small", "4");
  api::Pod large = pod("large", "4");
  (*large.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_requests())["cpu"].set_string("3");
  run(small);
  run(large);
  EXPECT_EQ(load.pod_usage("web", "small")->cpu, kCore);
  EXPECT_EQ(load.pod_usage("web", "large")->cpu, 3 * kCore);
  EXPECT_EQ(load.pod_usage("web", "small")->cpu_waiting, 3 * kCore);
  EXPECT_EQ(load.node_usage("n1")->cpu, 4 * kCore);
  EXPECT_EQ(load.node_usage("n1")->cpu_demand, 8 * kCore);
  agenda.run_for(10s);
  EXPECT_EQ(load.node_counters("n1")->waiting, 5'000'000'000);
}

TEST_F(LoadModelTest, ACpuLimitThrottlesEvenOnAnIdleNode) {
  api::Pod limited = pod("a", "2");
  (*limited.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_limits())["cpu"].set_string("500m");
  run(limited);
  const auto usage = load.pod_usage("web", "a");
  EXPECT_EQ(usage->cpu, 500'000);
  EXPECT_EQ(usage->cpu_demand, 2 * kCore);
  EXPECT_EQ(usage->cpu_throttled, 1'500'000);
  EXPECT_EQ(usage->cpu_waiting, 0);
}

TEST_F(LoadModelTest, ContainersShareTheUsageOfTheirPodByRequestAndStopIndependently) {
  api::Pod two = pod("a", "400m", "4Gi");
  add_container(two, "helper", "3", "3Gi");
  const auto id = run(two);
  load.set_running(id, 0b01);
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 100'000);
  EXPECT_EQ(load.pod_usage("web", "a")->memory, kGi);
}

TEST_F(LoadModelTest, CpuCountersAddUpToTheCapacityTimesTheElapsedTime) {
  run(pod("a", "1500m"));
  agenda.run_for(100s);
  const auto counters = load.node_counters("n1");
  EXPECT_EQ(counters->user + counters->system, 150'000'000'000);
  EXPECT_EQ(counters->user + counters->system + counters->idle + counters->iowait, 400'000'000'000);
}

TEST_F(LoadModelTest, LoadAveragesApproachTheDemand) {
  run(pod("a", "2"));
  agenda.run_for(60s);
  EXPECT_NEAR(load.node_counters("n1")->load[0], 2 * (1 - std::exp(-1)), 0.01);
  agenda.run_for(1h);
  EXPECT_NEAR(load.node_counters("n1")->load[2], 2, 0.05);
}

TEST_F(LoadModelTest, ARampRestartsWithEveryContainerStart) {
  const auto id = run(pod("a", "ramp from=0 to=1 over=100s"));
  agenda.run_for(100s);
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, kCore);
  load.set_running(id, 0);
  load.set_running(id, 1);
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 0);
}

TEST_F(LoadModelTest, AChangedProfileAnnotationChangesTheUsageButNotTheStartTime) {
  const auto id = run(pod("a", "100m"));
  agenda.run_for(50s);
  load.reshape(id, pod("a", "ramp from=0 to=1 over=100s"));
  EXPECT_EQ(load.pod_usage("web", "a")->cpu, 500'000);
}

TEST_F(LoadModelTest, SamplesAreAveragesOfTheLastWholeWindow) {
  const auto id = run(pod("a", "step from=200m to=500m after=25s"));
  agenda.run_for(9s);
  EXPECT_FALSE(load.pod_sample("web", "a"));
  agenda.run_for(7s);
  EXPECT_EQ(load.pod_sample("web", "a")->total.cpu, 200'000);
  EXPECT_EQ(load.pod_sample("web", "a")->total.window, 15'000);
  agenda.run_for(20s);  // the window from 15 to 30 s: 10 s low, 5 s high
  EXPECT_EQ(load.pod_sample("web", "a")->total.cpu, 300'000);
  EXPECT_EQ(load.node_sample("n1")->cpu, 300'000);
  load.stop(id);
  agenda.run_for(13s);  // the window from 30 to 45 s: stopped after 6 s
  EXPECT_EQ(load.node_sample("n1")->cpu, 200'000);
}

TEST_F(LoadModelTest, ANewPodIsSampledOverTheTimeItHasRun) {
  agenda.run_for(4s);
  run(pod("a", "300m"));
  agenda.run_for(12s);
  EXPECT_EQ(load.pod_sample("web", "a")->total.window, 11'000);
  EXPECT_EQ(load.pod_sample("web", "a")->total.cpu, 300'000);
}

TEST_F(LoadModelTest, AContainerAboveItsMemoryLimitIsTheMemoryVictim) {
  api::Pod greedy = pod("a", "100m", "step from=1Gi to=3Gi after=30s");
  (*greedy.mutable_spec()->mutable_containers(0)->mutable_resources()->mutable_limits())["memory"].set_string("2Gi");
  const auto id = run(greedy);
  EXPECT_FALSE(load.memory_victim("n1"));
  agenda.run_for(31s);
  const auto victim = load.memory_victim("n1");
  ASSERT_TRUE(victim);
  EXPECT_EQ(victim->pod, id);
  EXPECT_EQ(load.pod_usage("web", "a")->memory, 2 * kGi);  // the usage is capped at the limit
}

TEST_F(LoadModelTest, AFullNodeSelectsThePodFarthestAboveItsRequestAsMemoryVictim) {
  run(pod("modest", "1m", "7Gi"));
  const auto worst = run(pod("worst", "1m", "8Gi"));
  EXPECT_FALSE(load.memory_victim("n1"));
  EXPECT_EQ(load.memory_steady_until("n1"), kForever);
  run(pod("late", "1m", "1500Mi"));
  EXPECT_EQ(load.memory_steady_until("n1"), 0);
  const auto victim = load.memory_victim("n1");
  ASSERT_TRUE(victim);
  EXPECT_EQ(victim->pod, worst);
  EXPECT_TRUE(load.memory_pressure("n1"));
  load.set_running(worst, 0);
  EXPECT_FALSE(load.memory_victim("n1"));
  EXPECT_FALSE(load.memory_pressure("n1"));
}

TEST_F(LoadModelTest, TheCountersOfARestartedNodeStartFromZero) {
  run(pod("a", "1"));
  agenda.run_for(1min);
  load.node_off("n1");
  EXPECT_FALSE(load.node_counters("n1"));
  EXPECT_FALSE(load.pod_usage("web", "a"));
  agenda.run_for(1min);
  load.node_on("n1", 4 * kCore, 16 * kGi);
  agenda.run_for(10s);
  EXPECT_EQ(load.node_counters("n1")->idle + load.node_counters("n1")->iowait, 40'000'000'000);
  EXPECT_EQ(load.node_counters("n1")->boot, 1'704'067'320'000);
}

TEST_F(LoadModelTest, TheUsageOfTwoPodsOfTheSameNameIsTheUsageOfTheNewerPod) {
  load.node_on("n2", 4 * kCore, 16 * kGi);
  const auto old = run(pod("db-0", "100m"), "n1");
  run(pod("db-0", "200m"), "n2");
  EXPECT_EQ(load.pod_usage("web", "db-0")->cpu, 200'000);
  EXPECT_EQ(load.node_usage("n1")->cpu, 100'000);
  load.stop(old);
  EXPECT_EQ(load.pod_usage("web", "db-0")->cpu, 200'000);
}

TEST_F(LoadModelTest, TheMetricsTextHasTheFormatOfNodeExporter) {
  run(pod("a", "2", "4Gi"));
  agenda.run_for(100s);
  const std::string text = *metrics_for_path(load, "/nodes/n1/metrics");
  EXPECT_THAT(text, HasSubstr("# TYPE node_cpu_seconds_total counter\n"));
  EXPECT_THAT(text, HasSubstr("node_cpu_seconds_total{cpu=\"3\",mode=\"idle\"} 49.750\n"));
  EXPECT_THAT(text, HasSubstr("node_cpu_seconds_total{cpu=\"0\",mode=\"user\"} 42.500\n"));
  EXPECT_THAT(text, Not(HasSubstr("cpu=\"4\"")));
  EXPECT_THAT(text, HasSubstr("node_memory_MemAvailable_bytes 12884901888\n"));
  EXPECT_THAT(text, HasSubstr("node_memory_MemTotal_bytes 17179869184\n"));
  EXPECT_THAT(text, HasSubstr("nodename=\"n1\""));
  EXPECT_THAT(text, HasSubstr("node_boot_time_seconds 1704067200\n"));
  EXPECT_THAT(text, HasSubstr("node_load1 "));
}

TEST_F(LoadModelTest, TheMetricsTextOfContainersHasTheFormatOfCadvisor) {
  api::Pod both = pod("a", "2", "4Gi");
  add_container(both, "side", "3", "3Gi");
  run(both);
  agenda.run_for(100s);
  const std::string text = *metrics_for_path(load, "/api/v1/nodes/n1/proxy/metrics/cadvisor");
  EXPECT_THAT(text, HasSubstr("# TYPE container_cpu_usage_seconds_total counter\n"));
  EXPECT_THAT(text,
              HasSubstr("container_cpu_usage_seconds_total{container=\"main\",namespace=\"web\",pod=\"a\"} 50.000\n"));
  EXPECT_THAT(text,
              HasSubstr("container_cpu_usage_seconds_total{container=\"side\",namespace=\"web\",pod=\"a\"} 150.000\n"));
  EXPECT_THAT(
      text,
      HasSubstr("container_memory_working_set_bytes{container=\"side\",namespace=\"web\",pod=\"a\"} 3221225472\n"));
  EXPECT_EQ(*metrics_for_path(load, "/nodes/n1/metrics/cadvisor"), text);
  EXPECT_FALSE(metrics_for_path(load, "/nodes/n2/metrics/cadvisor"));
  load.set_reporting("n1", false);
  EXPECT_FALSE(metrics_for_path(load, "/api/v1/nodes/n1/proxy/metrics/cadvisor"));
}

TEST_F(LoadModelTest, ANonReportingKubeletHidesItsProxyMetricsButNotTheNodeMetrics) {
  EXPECT_TRUE(metrics_for_path(load, "/api/v1/nodes/n1/proxy/metrics"));
  agenda.run_for(1min);
  EXPECT_TRUE(load.node_sample("n1"));
  load.set_reporting("n1", false);
  EXPECT_FALSE(metrics_for_path(load, "/api/v1/nodes/n1/proxy/metrics"));
  EXPECT_FALSE(load.node_sample("n1"));
  EXPECT_TRUE(metrics_for_path(load, "/nodes/n1/metrics"));
  EXPECT_FALSE(metrics_for_path(load, "/nodes/n2/metrics"));
  EXPECT_FALSE(metrics_for_path(load, "/nodes//metrics"));
  EXPECT_FALSE(metrics_for_path(load, "/nodes/metrics"));
  EXPECT_FALSE(metrics_for_path(load, "/metrics"));
}

}  // namespace
}  // namespace rescheduler::sim
