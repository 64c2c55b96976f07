// Scheduling decisions that depend on the measured load of the nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "cluster/testing.h"
#include "config/read.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/load_sources.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using testing::HasSubstr;

WallTime at_second(double seconds) {
  return WallTime{std::chrono::seconds{1'700'000'000}}
         + std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

// The configuration of the deployment guides.
constexpr const char* kConfiguration = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- schedulerName: rescheduler-scheduler
  plugins:
    filter: {enabled: [name: Rescheduler]}
    score: {enabled: [name: Rescheduler]}
    reserve: {enabled: [name: Rescheduler]}
    preBind: {enabled: [name: Rescheduler]}
)";

struct SchedulerLoadTest : testing::Test {
  SchedulerLoadTest() {
    auto reading = config::read_configuration(kConfiguration, "f", config::default_catalog());
    EXPECT_TRUE(reading.problems.empty());
    SchedulerSettings settings;
    settings.profiles = reading.configuration.placing();
    settings.load = load_tracker_settings(*reading.configuration.load);
    settings.load->smoothing.kind = usage::Smoothing::None;
    auto made = Scheduler::make(settings, metrics, at_second(0));
    EXPECT_TRUE(made);
    scheduler = std::move(made.value());
    for (const char* name : {"a", "b"}) {
      scheduler->upsert(std::make_shared<const api::Node>(node(name).get()), at_second(0));
    }
  }

  void add_pod(const std::string& name) {
    auto object = std::make_shared<api::Pod>(pod(name).get());
    object->mutable_spec()->set_scheduler_name("rescheduler-scheduler");
    scheduler->upsert(std::shared_ptr<const api::Pod>(std::move(object)), at_second(0));
  }
  void measure(double a, double b, double time) {
    usage::Reading reading;
    reading.samples.push_back({.node = "a", .value = a, .at = at_second(time)});
    reading.samples.push_back({.node = "b", .value = b, .at = at_second(time)});
    scheduler->load_taken(reading, "prometheus", at_second(time));
  }
  // The node of the decision, or the message of the status if the pod is unschedulable.
  std::string decide(double time) {
    scheduler->tick(at_second(time));
    const auto actions = scheduler->decide_next(at_second(time));
    if (actions.empty()) return "";
    if (const auto* bind = std::get_if<BindAction>(&actions.front())) return bind->node;
    const auto* report = std::get_if<StatusAction>(&actions.front());
    return report != nullptr ? report->message : "?";
  }

  MetricRegistry metrics;
  std::unique_ptr<Scheduler> scheduler;
};

TEST_F(SchedulerLoadTest, APodIsBoundToTheNodeWithTheLowestLoad) {
  measure(0.7, 0.2, 0);
  add_pod("p");
  EXPECT_EQ(decide(1), "b");
}

TEST_F(SchedulerLoadTest, APodThatFoundOnlyOverloadedNodesWaitsUntilTheLoadFalls) {
  measure(0.9, 0.95, 0);
  add_pod("p");
  EXPECT_THAT(decide(1), HasSubstr("0/2 nodes are available: 2 node(s) were above the cpu load threshold."));
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 1U);
  measure(0.85, 0.9, 16);
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 1U)
      << "both nodes are still above the threshold, so the pod is not tried";
  measure(0.85, 0.75, 31);
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 0U);
  EXPECT_EQ(decide(32), "b");
}

TEST_F(SchedulerLoadTest, APodThatFoundOnlyOverloadedNodesIsPlacedByScoreAfterTheWait) {
  measure(0.9, 0.95, 0);
  auto object = std::make_shared<api::Pod>(pod("p").get());
  object->mutable_spec()->set_scheduler_name("rescheduler-scheduler");
  object->mutable_metadata()->mutable_creation_timestamp()->set_seconds(
      std::chrono::duration_cast<std::chrono::seconds>(at_second(0).time_since_epoch()).count());
  scheduler->upsert(std::shared_ptr<const api::Pod>(std::move(object)), at_second(0));
  EXPECT_THAT(decide(1), HasSubstr("above the cpu load threshold"));
  measure(0.9, 0.95, 45);
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 1U);
  measure(0.9, 0.95, 60);
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 0U);
  scheduler->tick(at_second(61));
  const auto actions = scheduler->decide_next(at_second(61));
  ASSERT_FALSE(actions.empty());
  const auto& bind = std::get<BindAction>(actions.front());
  EXPECT_EQ(bind.node, "a");
  EXPECT_TRUE(bind.above_threshold);
  EXPECT_FALSE(bind.annotations.contains("rescheduler.io/revisited-node"));
}

TEST_F(SchedulerLoadTest, APodThatFoundOnlyOverloadedNodesIsPlacedAfterTheFallbackToRequests) {
  measure(0.9, 0.9, 0);
  add_pod("p");
  EXPECT_THAT(decide(1), HasSubstr("above the cpu load threshold"));
  scheduler->load_fell_back(cluster::LoadBasis::Requests, "requests", at_second(2));
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 0U);
  EXPECT_THAT(decide(10), testing::AnyOf("a", "b"));
}

TEST_F(SchedulerLoadTest, ANewNodeWithoutMeasuredLoadIsTriedForAWaitingPod) {
  measure(0.9, 0.95, 0);
  add_pod("p");
  EXPECT_THAT(decide(1), HasSubstr("above the cpu load threshold"));
  scheduler->upsert(std::make_shared<const api::Node>(node("new").get()), at_second(20));
  EXPECT_EQ(decide(21), "new");
}

TEST_F(SchedulerLoadTest, TheLoadOfAPlacedPodIsReservedUntilItIsMeasuredOrTheBindingFails) {
  measure(0.2, 0.3, 0);
  const auto reserved = [&](const char* name) {
    const auto& cluster = scheduler->cluster();
    return cluster.node(*cluster.find_node(name)).load.reserved[cluster::kCpuLoad];
  };
  add_pod("p");
  ASSERT_EQ(decide(1), "a");
  EXPECT_GT(reserved("a"), 0) << "the decision reserves load";
  scheduler->bind_failed("uid-p", Error{Errc::Conflict, "no"}, at_second(2));
  EXPECT_EQ(reserved("a"), 0) << "the failed binding releases the load";
  ASSERT_EQ(decide(10), "a");
  scheduler->bound("uid-p", at_second(11));
  EXPECT_GT(reserved("a"), 0);
  measure(0.2, 0.3, 11 + 3600);
  EXPECT_EQ(reserved("a"), 0) << "the measured load now includes the pod";
}

// Four pods request little and use half a node each. A scheduler that counts requests would place all of them on node
// a, which has less load.
TEST_F(SchedulerLoadTest, APodReservesTheMeasuredUsageOfItsWorkloadInsteadOfItsRequests) {
  const auto add = [&](const std::string& name) {
    auto object = std::make_shared<api::Pod>(pod(name).requests("100m", "100Mi").get());
    object->mutable_spec()->set_scheduler_name("rescheduler-scheduler");
    auto& owner = *object->mutable_metadata()->add_owner_references();
    owner.set_kind("Job");
    owner.set_name("transcode");
    owner.set_controller(true);
    scheduler->upsert(std::shared_ptr<const api::Pod>(std::move(object)), at_second(0));
  };
  measure(0.2, 0.5, 0);
  add("p1");
  add("p2");
  EXPECT_EQ(decide(1), "a");
  EXPECT_EQ(decide(1), "a") << "the usage of the workload is not known yet, so the request is reserved";
  measure(0.2, 0.5, 3600);
  const auto& cluster = scheduler->cluster();
  const auto has = static_cast<double>(cluster.node(*cluster.find_node("a")).node->allocatable.cpu);
  scheduler->expect(std::make_shared<const usage::WorkloadUsages>(
      usage::WorkloadUsages{{"default/Job/transcode", {.milli_cpu = has / 2, .memory = 0}}}));
  add("p3");
  add("p4");
  EXPECT_EQ(decide(3601), "a");
  EXPECT_NEAR(cluster.node(*cluster.find_node("a")).load.reserved[cluster::kCpuLoad], 0.5, 1e-6);
  EXPECT_EQ(decide(3601), "b");
}

TEST_F(SchedulerLoadTest, APodBoundByAnotherSchedulerReservesLoadOnlyIfItStartedRecently) {
  measure(0.2, 0.2, 0);
  const auto placed = [](const char* name, double started) {
    auto object = std::make_shared<api::Pod>(pod(name).on("a").get());
    object->mutable_status()->mutable_start_time()->set_seconds(
        std::chrono::duration_cast<std::chrono::seconds>(at_second(started).time_since_epoch()).count());
    return std::shared_ptr<const api::Pod>(std::move(object));
  };
  const auto reserved = [&] {
    return scheduler->cluster().node(*scheduler->cluster().find_node("a")).load.reserved[0];
  };
  scheduler->upsert(placed("old", -7200), at_second(1));
  EXPECT_EQ(reserved(), 0);
  const auto fresh = placed("fresh", 1);
  scheduler->upsert(fresh, at_second(1));
  EXPECT_GT(reserved(), 0);
  scheduler->remove(fresh, at_second(2));
  EXPECT_EQ(reserved(), 0);
}

TEST_F(SchedulerLoadTest, TheBindActionAnnotatesThePodWithThePredictedLoadOfItsNode) {
  measure(0.2, 0.9, 0);
  add_pod("p");
  scheduler->tick(at_second(1));
  const auto actions = scheduler->decide_next(at_second(1));
  const auto& annotations = std::get<BindAction>(actions.front()).annotations;
  ASSERT_TRUE(annotations.contains("rescheduler.io/predicted-load"));
  const std::string& predicted = annotations.at("rescheduler.io/predicted-load");
  EXPECT_THAT(predicted, HasSubstr(R"("cpu":0.2)")) << "the measured load and the load of the pod";
  EXPECT_THAT(predicted, HasSubstr(R"("source":"prometheus"})"));
  EXPECT_FALSE(std::get<BindAction>(actions.front()).overloads);
}

TEST_F(SchedulerLoadTest, TheBindActionSetsOverloadsWhenThePodWillOverloadItsNode) {
  measure(0.79, 0.9, 0);
  auto object = std::make_shared<api::Pod>(pod("large").requests("2", "1Gi").get());
  object->mutable_spec()->set_scheduler_name("rescheduler-scheduler");
  scheduler->upsert(std::shared_ptr<const api::Pod>(std::move(object)), at_second(0));
  scheduler->tick(at_second(1));
  const auto actions = scheduler->decide_next(at_second(1));
  EXPECT_EQ(std::get<BindAction>(actions.front()).node, "a");
  EXPECT_TRUE(std::get<BindAction>(actions.front()).overloads);
}

}  // namespace
}  // namespace rescheduler::scheduler
