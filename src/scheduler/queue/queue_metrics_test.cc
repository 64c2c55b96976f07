#include "scheduler/queue/queue_metrics.h"

#include <string>

#include <gtest/gtest.h>

#include "scheduler/queue/queue_fixture.h"

namespace rescheduler::scheduler {
namespace {

class QueueMetricsTest : public QueueFixture {
 protected:
  double pending(const std::string& place_name) {
    return registry.gauge("scheduler_pending_pods", "", {{"queue", place_name}}).value();
  }
  double incoming(const std::string& place_name, const std::string& event) {
    return registry.counter("scheduler_queue_incoming_pods_total", "", {{"queue", place_name}, {"event", event}})
        .value();
  }
  double unschedulable(const std::string& plugin) {
    return registry.gauge("scheduler_unschedulable_pods", "", {{"plugin", plugin}, {"profile", "default"}}).value();
  }
  double recorded(const std::string& event) {
    return registry.gauge("scheduler_inflight_events", "", {{"event", event}}).value();
  }
};

TEST_F(QueueMetricsTest, PendingPodsIsExportedForEachQueueFromTheStart) {
  for (const char* name : {"active", "backoff", "unschedulable", "gated"}) {
    EXPECT_NE(registry.text().find("scheduler_pending_pods{queue=\"" + std::string{name} + "\"} 0"), std::string::npos);
  }
}

TEST_F(QueueMetricsTest, PendingPodsAreCountedByQueue) {
  gated.insert("gated");
  queue.add(object_of("gated"), at(0));
  queue.add(object_of("a"), at(0));
  EXPECT_EQ(pending("active"), 1);
  EXPECT_EQ(pending("gated"), 1);
  queue.failed(pop("a", 0), PluginIndexSet::only(kFit), {}, at(0));
  EXPECT_EQ(pending("active"), 0);
  EXPECT_EQ(pending("unschedulable"), 1);
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(pending("unschedulable"), 0);
  EXPECT_EQ(pending("backoff"), 1);
}

TEST_F(QueueMetricsTest, IncomingPodsAreCountedByQueueAndEvent) {
  queue.add(object_of("a"), at(0));
  EXPECT_EQ(incoming("active", "UnscheduledPodAdd"), 1);
  queue.failed(pop("a", 0), PluginIndexSet::only(kFit), {}, at(0));
  EXPECT_EQ(incoming("unschedulable", "ScheduleAttemptFailure"), 1);
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(incoming("backoff", "NodeAdd"), 1);
  queue.failed(pop("a", 0), PluginIndexSet::only(kFit), {}, at(0));
  EXPECT_EQ(incoming("active", "PopFromBackoffQ"), 1);
  queue.on_event(node_added(), at(0));
  queue.tick(at(50));
  EXPECT_EQ(incoming("active", "BackoffComplete"), 1);
  queue.failed(pop("a", 50), PluginIndexSet::only(kFit), {}, at(50));
  queue.tick(at(400));
  EXPECT_EQ(incoming("active", "UnschedulableTimeout"), 1);
  queue.failed(pop("a", 400), PluginIndexSet::only(kFit), {}, at(400));
  queue.activate(std::vector<std::string>{"a"}, at(400));
  EXPECT_EQ(incoming("active", "ForceActivate"), 1);
}

TEST_F(QueueMetricsTest, APodThatStaysGatedIsNotCountedAsIncomingAgain) {
  gated.insert("a");
  queue.add(object_of("a"), at(0));
  queue.update(object_of("a", 0, "2"), gates_gone("a"), at(1));
  EXPECT_EQ(incoming("unschedulable", "UnscheduledPodAdd"), 1);
  EXPECT_EQ(incoming("unschedulable", "TargetPodGatesGone"), 0);
  EXPECT_EQ(unschedulable("Gates"), 1);
}

TEST_F(QueueMetricsTest, APodCountsAsUnschedulableForEachRejectorUntilTheNextAttemptOrTheRemoval) {
  reject("a", PluginIndexSet::only(kFit) | PluginIndexSet::extender(), 0);
  reject("b", PluginIndexSet::only(kFit), 0);
  EXPECT_EQ(unschedulable("Fit"), 2);
  EXPECT_EQ(unschedulable("Extender"), 1);
  queue.update(object_of("a", 0, "2"), nullptr, at(0));
  EXPECT_EQ(unschedulable("Fit"), 2);
  queue.remove("b", at(0));
  EXPECT_EQ(unschedulable("Fit"), 1);
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(unschedulable("Fit"), 1);
  pop("a", 0);
  EXPECT_EQ(unschedulable("Fit"), 0);
  EXPECT_EQ(unschedulable("Extender"), 0);
}

TEST_F(QueueMetricsTest, RecordedEventsAreCountedUntilNoPodInFlightNeedsThem) {
  queue.add(object_of("a"), at(0));
  queue.add(object_of("b"), at(0));
  pop("a", 0);
  queue.on_event(node_added(), at(0));
  pop("b", 0);
  queue.update(object_of("b", 0, "2"), gates_gone("b"), at(0));
  EXPECT_EQ(recorded("PodPopped"), 2);
  EXPECT_EQ(recorded("NodeAdd"), 1);
  EXPECT_EQ(recorded("TargetPodGatesGone"), 1);
  queue.done("a");
  EXPECT_EQ(recorded("NodeAdd"), 0);
  queue.done("b");
  EXPECT_EQ(recorded("PodPopped"), 0);
  EXPECT_EQ(recorded("TargetPodGatesGone"), 0);
}

}  // namespace
}  // namespace rescheduler::scheduler
