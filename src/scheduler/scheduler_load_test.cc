// Pods that wait because nodes are too busy.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/metrics.h"
#include "cluster/testing.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "scheduler/config/read.h"
#include "scheduler/scheduler.h"

namespace rescheduler::scheduler {
namespace {

using cluster::testing::node;
using cluster::testing::pod;
using testing::HasSubstr;

WallTime at(double seconds) {
  return WallTime{std::chrono::seconds{1'700'000'000}}
         + std::chrono::nanoseconds{static_cast<std::int64_t>(seconds * 1e9)};
}

// As the deployment guides enable it.
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

struct LoadedScheduler : testing::Test {
  LoadedScheduler() {
    auto reading = read_configuration(kConfiguration, "f", default_catalog());
    EXPECT_TRUE(reading.problems.empty());
    SchedulerSettings settings;
    settings.profiles = reading.configuration.profiles;
    auto made = Scheduler::make(settings, metrics, at(0));
    EXPECT_TRUE(made);
    scheduler = std::move(made.value());
    for (const char* name : {"a", "b"}) {
      scheduler->seen(std::make_shared<const api::Node>(node(name).get()), at(0));
    }
  }

  void add_pod(const std::string& name) {
    auto object = std::make_shared<api::Pod>(pod(name).get());
    object->mutable_spec()->set_scheduler_name("rescheduler-scheduler");
    scheduler->seen(std::shared_ptr<const api::Pod>(std::move(object)), at(0));
  }
  void measure(double a, double b, double time) {
    cluster::NodeLoad load;
    load.used[cluster::kCpuLoad] = a;
    scheduler->cluster().set_load(*scheduler->cluster().find_node("a"), load);
    load.used[cluster::kCpuLoad] = b;
    scheduler->cluster().set_load(*scheduler->cluster().find_node("b"), load);
    cluster::LoadPicture picture;
    picture.basis = cluster::LoadBasis::Usage;
    picture.mean[cluster::kCpuLoad] = (a + b) / 2;
    scheduler->load_seen(picture, at(time));
  }
  // The node that was decided on, or why none.
  std::string decide(double time) {
    scheduler->tick(at(time));
    const auto orders = scheduler->decide_next(at(time));
    if (orders.empty()) return "";
    if (const auto* bind = std::get_if<BindOrder>(&orders.front())) return bind->node;
    const auto* report = std::get_if<ReportOrder>(&orders.front());
    return report != nullptr ? report->message : "?";
  }

  MetricRegistry metrics;
  std::unique_ptr<Scheduler> scheduler;
};

TEST_F(LoadedScheduler, APodGoesWhereLoadIsLeast) {
  measure(0.7, 0.2, 0);
  add_pod("p");
  EXPECT_EQ(decide(1), "b");
}

TEST_F(LoadedScheduler, APodThatFoundOnlyHotNodesWaitsForTheLoadToFall) {
  measure(0.9, 0.95, 0);
  add_pod("p");
  EXPECT_THAT(decide(1), HasSubstr("0/2 nodes are available: 2 node(s) were above the cpu load threshold."));
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 1U);
  measure(0.85, 0.9, 16);
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 1U) << "they are as hot as before: no need to try";
  measure(0.85, 0.75, 31);
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 0U);
  EXPECT_EQ(decide(32), "b");
}

TEST_F(LoadedScheduler, WhenNothingIsMeasuredAnyMoreNoNodeIsHot) {
  measure(0.9, 0.9, 0);
  add_pod("p");
  EXPECT_THAT(decide(1), HasSubstr("above the cpu load threshold"));
  scheduler->load_seen({}, at(2));
  EXPECT_EQ(scheduler->queue().size(Queue::Place::Unschedulable), 0U);
  EXPECT_THAT(decide(10), testing::AnyOf("a", "b"));
}

TEST_F(LoadedScheduler, ANodeThatComesIsTriedThoughNobodyKnowsItsLoad) {
  measure(0.9, 0.95, 0);
  add_pod("p");
  EXPECT_THAT(decide(1), HasSubstr("above the cpu load threshold"));
  scheduler->seen(std::make_shared<const api::Node>(node("new").get()), at(20));
  EXPECT_EQ(decide(21), "new");
}

}  // namespace
}  // namespace rescheduler::scheduler
