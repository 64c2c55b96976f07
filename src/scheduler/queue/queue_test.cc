// The order of pods, backoff, scheduling gates, and the results of an attempt.
#include "scheduler/queue/queue.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/queue/queue_fixture.h"

namespace rescheduler::scheduler {
namespace {

using testing::ElementsAre;

class QueueTest : public QueueFixture {};

TEST_F(QueueTest, PodsArePoppedByPriorityThenByWaitingTime) {
  queue.add(object_of("late", 5), at(2));
  queue.add(object_of("low", 1), at(0));
  queue.add(object_of("early", 5), at(1));
  queue.add(object_of("high", 9), at(3));
  std::vector<std::string> order;
  while (auto pod = queue.pop(at(4))) order.push_back(pod->uid());
  EXPECT_THAT(order, ElementsAre("high", "early", "late", "low"));
}

TEST_F(QueueTest, PodsWithTheSameTimestampArePoppedInTheOrderInWhichTheyWereAdded) {
  for (const char* uid : {"b", "c", "a"}) queue.add(object_of(uid), at(0));
  pop("b", 0);
  pop("c", 0);
  pop("a", 0);
  EXPECT_FALSE(queue.pop(at(0)));
}

TEST_F(QueueTest, AFailedPodIsQueuedBehindThePodsThatWaitedDuringItsAttempt) {
  queue.add(object_of("a"), at(0));
  queue.add(object_of("b"), at(1));
  queue.failed(pop("a", 2), PluginIndexSet::only(kFit), {}, at(2));
  queue.activate(std::vector<std::string>{"a"}, at(3));
  pop("b", 3);
  const WaitingPod again = pop("a", 3);
  EXPECT_EQ(again.attempts, 2);
  EXPECT_EQ(again.added, at(0));
  EXPECT_EQ(again.timestamp, at(2));
}

TEST_F(QueueTest, BackoffIsCountedInWholeSeconds) {
  reject("a", PluginIndexSet::only(kFit), 0.5);
  queue.on_event(node_added(), at(0.6));
  EXPECT_EQ(place("a"), Place::Backoff);
  EXPECT_EQ(queue.find("a")->backoff_end, second_of(at(1)));
  EXPECT_EQ(queue.next_deadline(), at(2));
  queue.tick(at(1.999));
  EXPECT_EQ(place("a"), Place::Backoff);
  queue.tick(at(2));
  EXPECT_EQ(place("a"), Place::Active);
  EXPECT_FALSE(queue.next_deadline());
}

TEST_F(QueueTest, PodsInBackoffArePoppedWhenNoPodIsActive) {
  reject("later", PluginIndexSet::only(kFit), 1);
  reject("first", PluginIndexSet::only(kFit), 0);
  queue.on_event(node_added(), at(1));
  ASSERT_EQ(queue.size(Place::Backoff), 2U);
  EXPECT_TRUE(queue.ready());
  pop("first", 1);
  pop("later", 1);
}

TEST_F(QueueTest, AnActivePodIsPoppedBeforeAPodInBackoff) {
  reject("important", PluginIndexSet::only(kFit), 0, 100);
  queue.on_event(node_added(), at(0));
  queue.add(object_of("plain"), at(0));
  pop("plain", 0);
}

TEST_F(QueueTest, AfterAnErrorAPodIsNotPoppedBeforeItsBackoffEnds) {
  queue.add(object_of("a"), at(0));
  EXPECT_EQ(queue.failed(pop("a", 0), kNoPlugins, kNoPlugins, at(0)), Place::Backoff);
  EXPECT_FALSE(queue.ready());
  EXPECT_FALSE(queue.pop(at(1.9)));
  queue.tick(at(1.9));
  EXPECT_FALSE(queue.pop(at(1.9)));
  EXPECT_EQ(queue.next_deadline(), at(2));
  queue.tick(at(2));
  const WaitingPod pod = pop("a", 2);
  EXPECT_EQ(pod.errors, 1);
  EXPECT_EQ(pod.rejections, 0);
}

TEST_F(QueueTest, ConsecutiveErrorsLengthenTheBackoffAndARejectionResetsTheErrors) {
  queue.add(object_of("a"), at(0));
  queue.failed(pop("a", 0), kNoPlugins, kNoPlugins, at(0));
  queue.tick(at(2));
  queue.failed(pop("a", 2), kNoPlugins, kNoPlugins, at(2));
  EXPECT_EQ(queue.find("a")->backoff_end, second_of(at(4)));
  queue.tick(at(5));
  queue.failed(pop("a", 5), PluginIndexSet::only(kFit), kNoPlugins, at(5));
  EXPECT_EQ(queue.find("a")->pod->errors, 0);
  EXPECT_EQ(queue.find("a")->pod->rejections, 1);
}

TEST_F(QueueTest, AGateThatClosesAfterAnErrorDoesNotEndTheBackoff) {
  queue.add(object_of("a"), at(0));
  const WaitingPod pod = pop("a", 0);
  gated.insert("a");
  EXPECT_EQ(queue.failed(pod, kNoPlugins, kNoPlugins, at(0)), Place::Gated);
  gated.clear();
  queue.on_event(gates_gone("a"), at(0));
  EXPECT_EQ(place("a"), Place::Backoff);
  EXPECT_FALSE(queue.pop(at(0)));
}

TEST_F(QueueTest, AGatedPodWaitsForAnEventOfThePluginThatGatedThePod) {
  gated.insert("a");
  queue.add(object_of("a"), at(0));
  EXPECT_EQ(place("a"), Place::Gated);
  EXPECT_EQ(queue.find("a")->pod->gate->why, "has a gate");
  gated.clear();
  queue.on_event(node_added(), at(1));
  queue.on_event(claim_added(), at(1));
  EXPECT_EQ(place("a"), Place::Gated);
  queue.update(object_of("a", 0, "2"), gates_gone("a"), at(5));
  EXPECT_EQ(place("a"), Place::Active);
  const WaitingPod pod = pop("a", 6);
  EXPECT_EQ(pod.first_ready, at(5)) << "the time with a scheduling gate does not count";
  EXPECT_TRUE(pod.rejectors.empty());
}

TEST_F(QueueTest, APodStaysGatedWhenItsGateIsStillClosedAfterAnUpdate) {
  gated.insert("a");
  queue.add(object_of("a"), at(0));
  queue.update(object_of("a", 0, "2"), gates_gone("a"), at(1));
  EXPECT_EQ(gate_calls, 2);
  EXPECT_EQ(place("a"), Place::Gated);
  EXPECT_EQ(queue.size(Place::Gated), 1U);
}

TEST_F(QueueTest, AGatedPodIgnoresEventsOfThePluginThatRejectedThePodBefore) {
  reject("a", PluginIndexSet::only(kFit), 0);
  gated.insert("a");
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(place("a"), Place::Gated);
  gated.clear();
  queue.on_event(node_added(), at(20));
  EXPECT_EQ(place("a"), Place::Gated);
  queue.update(object_of("a", 0, "2"), node_added(), at(20));
  EXPECT_EQ(place("a"), Place::Gated);
}

TEST_F(QueueTest, PreEnqueueIsNotCalledAgainWhenTheBackoffEnds) {
  reject("a", PluginIndexSet::only(kFit), 0);
  queue.on_event(node_added(), at(0));
  const int calls_before = gate_calls;
  gated.insert("a");
  queue.tick(at(2));
  EXPECT_EQ(place("a"), Place::Active);
  EXPECT_EQ(gate_calls, calls_before);
}

TEST_F(QueueTest, APodThatWaitsMoreThanFiveMinutesIsTriedAgain) {
  reject("a", PluginIndexSet::only(kFit), 10);
  EXPECT_EQ(queue.next_deadline(), at(30));
  queue.tick(at(300));
  EXPECT_EQ(place("a"), Place::Unschedulable);
  queue.tick(at(329));
  EXPECT_EQ(place("a"), Place::Unschedulable) << "the queue checks only every 30 seconds";
  queue.tick(at(330));
  EXPECT_EQ(place("a"), Place::Active);
  const WaitingPod pod = pop("a", 330);
  EXPECT_TRUE(pod.flushed);
  queue.failed(pod, PluginIndexSet::only(kFit), {}, at(330));
  EXPECT_FALSE(queue.find("a")->pod->flushed);
  queue.tick(at(600));
  EXPECT_EQ(place("a"), Place::Unschedulable) << "the five minutes start again at the failed attempt";
}

TEST_F(QueueTest, PreEnqueueIsCalledAgainForAGatedPodAfterEachFiveMinutes) {
  gated.insert("a");
  queue.add(object_of("a"), at(0));
  for (int i = 1; i <= 20; ++i) queue.tick(at(30 * i));
  EXPECT_EQ(gate_calls, 2) << "one call by add() and one at 330 s; the next is due at 660 s";
  EXPECT_EQ(place("a"), Place::Gated);
  EXPECT_FALSE(queue.find("a")->pod->flushed);
  gated.clear();
  queue.tick(at(660));
  EXPECT_EQ(place("a"), Place::Active);
}

TEST_F(QueueTest, ALateTickHandlesTheMissedPeriodsAndKeepsTheSchedule) {
  reject("a", PluginIndexSet::only(kFit), 0);
  queue.tick(at(1000.5));
  EXPECT_EQ(place("a"), Place::Active);
  queue.remove("a", at(1001));
  reject("b", PluginIndexSet::only(kFit), 1001);
  EXPECT_EQ(queue.next_deadline(), at(1020));
}

class QueueWithoutBackoff : public QueueFixture {
 protected:
  QueueWithoutBackoff() : QueueFixture({.retry = {.max_backoff = std::chrono::seconds{0}}}) {}
};

TEST_F(QueueWithoutBackoff, ARejectedOrFailedPodBecomesActiveAtOnce) {
  reject("a", PluginIndexSet::only(kFit), 0);
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(place("a"), Place::Active);
  EXPECT_EQ(queue.failed(pop("a", 0), kNoPlugins, kNoPlugins, at(0)), Place::Active);
}

TEST_F(QueueTest, ListReturnsEachPodWithItsPlace) {
  reject("rejected", PluginIndexSet::only(kClaims), 0);
  reject("backs off", PluginIndexSet::only(kFit), 0);
  queue.on_event(node_added(), at(0));
  gated.insert("gated");
  queue.add(object_of("gated"), at(0));
  queue.add(object_of("active"), at(0));
  std::vector<std::string> shown;
  for (const auto& listed : queue.list()) {
    shown.push_back(std::string{to_string(listed.place)} + ": " + listed.pod->uid());
  }
  EXPECT_THAT(shown, ElementsAre("active: active", "backoff: backs off", "unschedulable: rejected", "gated: gated"));
  EXPECT_EQ(queue.size(), 4U);
}

}  // namespace
}  // namespace rescheduler::scheduler
