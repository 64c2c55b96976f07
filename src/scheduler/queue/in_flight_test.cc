#include "scheduler/queue/in_flight.h"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scheduler/queue/queue_fixture.h"

namespace rescheduler::scheduler {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

cluster::ClusterEventPtr named(const std::string& label) {
  return cluster_event(cluster::EventResource::Node, cluster::ActionType::Add, label);
}

std::vector<std::string> events_for(const InFlight& in_flight, const std::string& uid) {
  std::vector<std::string> labels;
  in_flight.replay(uid, [&](const cluster::ClusterEvent& what) {
    labels.push_back(what.label);
    return true;
  });
  return labels;
}

TEST(InFlight, EachPodGetsTheEventsSinceTheStartOfItsOwnAttempt) {
  InFlight in_flight{nullptr};
  in_flight.begin(object_of("a"));
  in_flight.on_event(named("1"));
  in_flight.begin(object_of("b"));
  in_flight.on_event(named("2"));
  EXPECT_THAT(events_for(in_flight, "a"), ElementsAre("1", "2"));
  EXPECT_THAT(events_for(in_flight, "b"), ElementsAre("2"));
}

TEST(InFlight, EventsAreNotRecordedWhileNoPodIsInFlight) {
  InFlight in_flight{nullptr};
  in_flight.on_event(named("1"));
  EXPECT_EQ(in_flight.kept(), 0U);
  in_flight.begin(object_of("a"));
  EXPECT_THAT(events_for(in_flight, "a"), IsEmpty());
}

TEST(InFlight, EventsThatNoPodInFlightNeedsAreDroppedAndTheOtherEventsAreKept) {
  InFlight in_flight{nullptr};
  in_flight.begin(object_of("a"));
  in_flight.on_event(named("1"));
  in_flight.begin(object_of("b"));
  in_flight.on_event(named("2"));
  in_flight.begin(object_of("c"));
  in_flight.on_event(named("3"));
  in_flight.end("b");
  EXPECT_EQ(in_flight.kept(), 3U) << "pod a still needs all events";
  in_flight.end("a");
  EXPECT_EQ(in_flight.kept(), 1U);
  EXPECT_THAT(events_for(in_flight, "c"), ElementsAre("3"));
  in_flight.end("c");
  EXPECT_EQ(in_flight.kept(), 0U);
  EXPECT_TRUE(in_flight.empty());
}

TEST(InFlight, AnEventOfOnePodIsReplayedToThisPodOnly) {
  InFlight in_flight{nullptr};
  in_flight.begin(object_of("a"));
  in_flight.begin(object_of("b"));
  in_flight.on_pod_event("a", named("own"));
  in_flight.on_pod_event("unknown", named("dropped"));
  in_flight.on_event(named("all"));
  EXPECT_THAT(events_for(in_flight, "a"), UnorderedElementsAre("own", "all"));
  EXPECT_THAT(events_for(in_flight, "b"), ElementsAre("all"));
  in_flight.end("b");
  in_flight.end("a");
  EXPECT_EQ(in_flight.kept(), 0U);
}

TEST(InFlight, ReplayReturnsFalseForAPodThatIsNotInFlight) {
  const InFlight in_flight{nullptr};
  EXPECT_FALSE(in_flight.replay("a", [](const cluster::ClusterEvent&) { return true; }));
}

}  // namespace
}  // namespace rescheduler::scheduler
