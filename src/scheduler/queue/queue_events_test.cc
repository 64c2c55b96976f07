// Cluster events while pods wait and while they are in flight.
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/queue/queue.h"
#include "scheduler/queue/queue_fixture.h"

namespace rescheduler::scheduler {
namespace {

using cluster::ActionType;
using cluster::EventResource;
using placement::QueueingHint;

class QueueEvents : public QueueFixture {
 protected:
  static constexpr double kLater = 100;  // longer than any backoff
};

TEST_F(QueueEvents, APodIsRequeuedWhenTheHintOfItsRejectorReturnsQueue) {
  reject("a", PluginIndexSet::only(kFit), 0);
  queue.on_event(node_added(), at(kLater));
  EXPECT_EQ(place("a"), Place::Active);
}

TEST_F(QueueEvents, APodIsNotRequeuedWhenTheHintOfItsRejectorReturnsSkip) {
  reject("a", PluginIndexSet::only(kFit), 0);
  answer = [](const WaitingPod&, const cluster::ClusterEvent&) { return QueueingHint::Skip; };
  queue.on_event(node_added(), at(kLater));
  EXPECT_EQ(place("a"), Place::Unschedulable);
  EXPECT_EQ(hint_calls, 1);
}

TEST_F(QueueEvents, AHintIsCalledOnlyForEventsThatItsPluginRegistered) {
  reject("a", PluginIndexSet::only(kFit), 0);
  queue.on_event(claim_added(), at(kLater));
  queue.on_event(cluster_event(EventResource::Node, ActionType::NodeTaint), at(kLater));
  queue.on_event(cluster_event(EventResource::AssignedPod, ActionType::Add), at(kLater));
  EXPECT_EQ(hint_calls, 0);
  EXPECT_EQ(place("a"), Place::Unschedulable);
  queue.on_event(cluster_event(EventResource::Node, {ActionType::NodeTaint, ActionType::NodeAllocatable}), at(kLater));
  EXPECT_EQ(place("a"), Place::Active);
}

TEST_F(QueueEvents, HintsOfPluginsThatDidNotRejectThePodAreNotCalled) {
  reject("a", PluginIndexSet::only(kClaims), 0);
  queue.on_event(node_added(), at(kLater));
  EXPECT_EQ(hint_calls, 0);
  EXPECT_EQ(place("a"), Place::Unschedulable);
}

TEST_F(QueueEvents, ARegistrationOfAnythingMatchesAnyEvent) {
  reject("a", PluginIndexSet::only(kEveryEvent), 0);
  queue.on_event(cluster_event(EventResource::CsiDriver, ActionType::Update), at(kLater));
  EXPECT_EQ(place("a"), Place::Active);
}

TEST_F(QueueEvents, AnyEventRequeuesAPodThatAnExtenderRejected) {
  reject("a", PluginIndexSet::extender(), 0);
  queue.on_event(cluster_event(EventResource::VolumeAttachment, ActionType::Update), at(kLater));
  EXPECT_EQ(place("a"), Place::Active);
}

TEST_F(QueueEvents, ARequeuedPodWaitsForTheEndOfItsBackoff) {
  reject("a", PluginIndexSet::only(kFit), 0);
  queue.on_event(node_added(), at(1));
  EXPECT_EQ(place("a"), Place::Backoff);
}

TEST_F(QueueEvents, AnEventOfAPendingPluginSkipsTheBackoff) {
  queue.add(object_of("a"), at(0));
  queue.failed(pop("a", 0), PluginIndexSet::only(kFit), PluginIndexSet::only(kClaims), at(0));
  queue.on_event(claim_added(), at(0));
  EXPECT_EQ(place("a"), Place::Active);

  queue.failed(pop("a", 0), PluginIndexSet::only(kFit), PluginIndexSet::only(kClaims), at(0));
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(place("a"), Place::Backoff) << "an event of the other rejector does not skip the backoff";
}

TEST_F(QueueEvents, AnEventOfAPendingPluginSkipsTheBackoffAlsoIfAnExtenderRejectedThePod) {
  queue.add(object_of("a"), at(0));
  queue.failed(pop("a", 0), PluginIndexSet::extender(), PluginIndexSet::only(kClaims), at(0));
  queue.on_event(claim_added(), at(0));
  EXPECT_EQ(place("a"), Place::Active);
}

TEST_F(QueueEvents, AnAnythingEventRequeuesAllPodsOrOnlyThePodThatTheEventNames) {
  reject("a", PluginIndexSet::only(kFit), 0);
  reject("b", PluginIndexSet::only(kClaims), 0);
  reject("c", PluginIndexSet::only(kClaims), 0);
  queue.on_event(cluster_event(EventResource::Anything, {}, "ForOne", "b"), at(kLater));
  EXPECT_EQ(place("a"), Place::Unschedulable);
  EXPECT_EQ(place("b"), Place::Active);
  EXPECT_EQ(place("c"), Place::Unschedulable);
  queue.on_event(cluster_event(EventResource::Anything, {}, "ForAll"), at(kLater));
  EXPECT_EQ(queue.size(Place::Active), 3U);
}

TEST_F(QueueEvents, AnEventWithAPriorityLimitDoesNotRequeuePodsOfHigherPriority) {
  reject("low", PluginIndexSet::only(kFit), 0, 1);
  reject("same", PluginIndexSet::only(kFit), 0, 5);
  reject("high", PluginIndexSet::only(kFit), 0, 9);
  queue.on_event(pod_deleted(), at(kLater), 5);
  EXPECT_EQ(place("low"), Place::Active);
  EXPECT_EQ(place("same"), Place::Active);
  EXPECT_EQ(place("high"), Place::Unschedulable);
}

TEST_F(QueueEvents, EventsDuringTheAttemptAreReplayed) {
  queue.add(object_of("a"), at(0));
  const WaitingPod pod = pop("a", 0);
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(queue.failed(pod, PluginIndexSet::only(kFit), {}, at(0)), Place::Backoff);
  EXPECT_EQ(queue.in_flight().kept(), 0U);

  const WaitingPod again = pop("a", 0);
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(queue.failed(again, PluginIndexSet::only(kClaims), {}, at(0)), Place::Unschedulable)
      << "this rejector did not register the event";
}

TEST_F(QueueEvents, EventsBeforeTheAttemptAreNotReplayed) {
  queue.add(object_of("a"), at(0));
  queue.add(object_of("b"), at(0));
  pop("a", 0);
  queue.on_event(node_added(), at(0));
  EXPECT_EQ(queue.failed(pop("b", 0), PluginIndexSet::only(kFit), {}, at(0)), Place::Unschedulable);
}

TEST_F(QueueEvents, AReplayedEventThatAPendingPluginWaitedForSkipsTheBackoff) {
  queue.add(object_of("a"), at(0));
  const WaitingPod pod = pop("a", 0);
  queue.on_event(node_added(), at(0));
  queue.on_event(claim_added(), at(0));
  EXPECT_EQ(queue.failed(pod, PluginIndexSet::only(kFit), PluginIndexSet::only(kClaims), at(0)), Place::Active);
}

TEST_F(QueueEvents, AnEventWithAPriorityLimitIsReplayedToAPodInFlightOfHigherPriority) {
  queue.add(object_of("a", 9), at(0));
  const WaitingPod pod = pop("a", 0);
  queue.on_event(pod_deleted(), at(0), 5);
  EXPECT_EQ(queue.failed(pod, PluginIndexSet::only(kFit), {}, at(0)), Place::Backoff);
}

TEST_F(QueueEvents, APodThatFailsAfterDoneGoesToBackoffBecauseItsMissedEventsAreUnknown) {
  queue.add(object_of("a"), at(0));
  const WaitingPod pod = pop("a", 0);
  queue.done("a");
  EXPECT_EQ(queue.failed(pod, PluginIndexSet::only(kFit), {}, at(0)), Place::Backoff);
}

TEST_F(QueueEvents, AnUpdateDuringTheAttemptIsReplayedAndTheNewObjectIsKept) {
  queue.add(object_of("a"), at(0));
  WaitingPod pod = pop("a", 0);
  queue.update(object_of("a", 0, "2"), gates_gone("a"), at(0));
  EXPECT_EQ(queue.size(), 0U) << "not queued a second time";
  EXPECT_EQ(queue.failed(pod, PluginIndexSet::only(kGates), {}, at(0)), Place::Backoff);
  EXPECT_EQ(queue.find("a")->pod->object.pod->metadata().resource_version(), "2");
}

TEST_F(QueueEvents, AnUpdateWithTheSameResourceVersionIsIgnored) {
  queue.add(object_of("a"), at(0));
  WaitingPod pod = pop("a", 0);
  queue.update(object_of("a", 0, "1"), gates_gone("a"), at(0));
  EXPECT_EQ(queue.failed(pod, PluginIndexSet::only(kGates), {}, at(0)), Place::Unschedulable);
  queue.update(object_of("a", 0, "1"), gates_gone("a"), at(kLater));
  EXPECT_EQ(place("a"), Place::Unschedulable);
  queue.update(object_of("a", 0, "2"), gates_gone("a"), at(kLater));
  EXPECT_EQ(place("a"), Place::Active);
}

TEST_F(QueueEvents, AnUpdateOfAnUnknownPodAddsThePod) {
  queue.update(object_of("a"), nullptr, at(0));
  EXPECT_EQ(place("a"), Place::Active);
}

TEST_F(QueueEvents, AnUpdateWithoutAnEventOnlyReplacesTheObject) {
  reject("a", PluginIndexSet::only(kEveryEvent), 0);
  queue.update(object_of("a", 0, "2"), nullptr, at(kLater));
  EXPECT_EQ(place("a"), Place::Unschedulable);
  EXPECT_EQ(queue.find("a")->pod->object.pod->metadata().resource_version(), "2");
}

TEST_F(QueueEvents, AnUpdateOfThePriorityReordersTheActiveQueue) {
  queue.add(object_of("a", 1), at(0));
  queue.add(object_of("b", 2), at(0));
  queue.update(object_of("a", 3, "2"), nullptr, at(1));
  pop("a", 1);
  pop("b", 1);
}

TEST_F(QueueEvents, AKnownPodThatIsAddedAgainIsRequeuedWithoutADuplicate) {
  reject("a", PluginIndexSet::only(kClaims), 0);
  queue.add(object_of("a", 0, "2"), at(kLater));
  EXPECT_EQ(queue.size(), 1U);
  EXPECT_EQ(place("a"), Place::Active);
  EXPECT_EQ(queue.find("a")->pod->attempts, 1);
}

TEST_F(QueueEvents, ARemovedPodIsRemovedFromEachQueue) {
  reject("rejected", PluginIndexSet::only(kClaims), 0);
  reject("backs off", PluginIndexSet::only(kFit), 0);
  queue.on_event(node_added(), at(0));
  queue.add(object_of("error"), at(-1));
  queue.add(object_of("active"), at(0));
  queue.failed(pop("error", 0), kNoPlugins, kNoPlugins, at(0));
  for (const char* uid : {"rejected", "backs off", "error", "active", "unknown"}) queue.remove(uid, at(1));
  EXPECT_EQ(queue.size(), 0U);
  queue.tick(at(1000));
  EXPECT_FALSE(queue.pop(at(1000)));
  EXPECT_FALSE(queue.awaits_events());
}

TEST_F(QueueEvents, APodRemovedDuringItsAttemptIsNotQueuedAgain) {
  queue.add(object_of("a"), at(0));
  const WaitingPod pod = pop("a", 0);
  queue.remove("a", at(0));
  EXPECT_FALSE(queue.failed(pod, PluginIndexSet::only(kFit), {}, at(0)));
  EXPECT_EQ(queue.size(), 0U);
  EXPECT_TRUE(queue.in_flight().empty());
}

TEST_F(QueueEvents, ActivateMovesRejectedAndFailedPodsToTheActiveQueueButNotGatedPods) {
  reject("rejected", PluginIndexSet::only(kClaims), 0);
  queue.add(object_of("error"), at(0));
  queue.failed(pop("error", 0), kNoPlugins, kNoPlugins, at(0));
  gated.insert("gated");
  queue.add(object_of("gated"), at(0));
  queue.activate(std::vector<std::string>{"rejected", "error", "gated", "unknown"}, at(0));
  EXPECT_EQ(place("rejected"), Place::Active);
  EXPECT_EQ(place("error"), Place::Active);
  EXPECT_EQ(place("gated"), Place::Gated) << "a closed gate still holds the pod";
}

TEST_F(QueueEvents, APodActivatedDuringItsAttemptIsTriedAgainAfterBackoff) {
  queue.add(object_of("a"), at(0));
  queue.add(object_of("b"), at(0));
  const WaitingPod a = pop("a", 0);
  const WaitingPod b = pop("b", 0);
  queue.activate(std::vector<std::string>{"a"}, at(0));
  EXPECT_EQ(queue.failed(a, PluginIndexSet::only(kClaims), {}, at(0)), Place::Backoff);
  EXPECT_EQ(queue.failed(b, PluginIndexSet::only(kClaims), {}, at(0)), Place::Unschedulable);
}

TEST_F(QueueEvents, AwaitsEventsOnlyWhileAPodIsInFlightOrRejected) {
  EXPECT_FALSE(queue.awaits_events());
  queue.add(object_of("a"), at(0));
  EXPECT_FALSE(queue.awaits_events());
  const WaitingPod pod = pop("a", 0);
  EXPECT_TRUE(queue.awaits_events());
  EXPECT_TRUE(queue.awaits_events(EventResource::CsiDriver, ActionType::Add)) << "any plugin can reject the pod";
  queue.failed(pod, PluginIndexSet::only(kFit), {}, at(0));
  EXPECT_TRUE(queue.awaits_events());
  EXPECT_TRUE(queue.awaits_events(EventResource::Node, ActionType::Add));
  EXPECT_TRUE(queue.awaits_events(EventResource::Anything, {}));
  EXPECT_FALSE(queue.awaits_events(EventResource::Node, ActionType::NodeTaint));
  EXPECT_FALSE(queue.awaits_events(EventResource::CsiDriver, ActionType::Add));
  queue.remove("a", at(0));
  EXPECT_FALSE(queue.awaits_events());
}

}  // namespace
}  // namespace rescheduler::scheduler
