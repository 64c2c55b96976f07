#include "migration/workload_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::migration {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(WorkloadQueue, MovesAreQueuedInTheOrderOfTheirArrival) {
  WorkloadQueue workload_queue;
  workload_queue.enqueue("web", "a", false);
  workload_queue.enqueue("web", "b", false);
  workload_queue.enqueue("web", "c", false);
  workload_queue.enqueue("web", "b", false);  // a repeated call changes nothing
  EXPECT_EQ(workload_queue.ahead_of("web", "a"), "");
  EXPECT_EQ(workload_queue.ahead_of("web", "b"), "a");
  EXPECT_THAT(workload_queue.remove("a"), ElementsAre("b"));
  EXPECT_EQ(workload_queue.ahead_of("web", "b"), "");
  EXPECT_EQ(workload_queue.ahead_of("web", "c"), "b");
}

TEST(WorkloadQueue, RemovingTheFirstMoveWakesTheNextOneAndRemovingAWaitingMoveWakesNone) {
  WorkloadQueue workload_queue;
  for (const char* move : {"a", "b", "c"}) workload_queue.enqueue("web", move, false);
  workload_queue.enqueue("db", "d", false);
  EXPECT_THAT(workload_queue.remove("b"), IsEmpty());
  EXPECT_THAT(workload_queue.remove("a"), ElementsAre("c"));
  EXPECT_THAT(workload_queue.remove("c"), IsEmpty());
  EXPECT_EQ(workload_queue.ahead_of("web", "late"), "");
  EXPECT_EQ(workload_queue.ahead_of("db", "late"), "d");
}

TEST(WorkloadQueue, AMoveThatHasBegunGoesToTheFrontOfTheQueue) {
  WorkloadQueue workload_queue;
  workload_queue.enqueue("web", "a", false);
  workload_queue.enqueue("web", "b", false);
  workload_queue.enqueue("web", "b", true);
  EXPECT_EQ(workload_queue.ahead_of("web", "a"), "b");
  workload_queue.enqueue("web", "c", true);
  EXPECT_EQ(workload_queue.ahead_of("web", "b"), "c");
  EXPECT_THAT(workload_queue.remove("c"), ElementsAre("b"));
}

TEST(WorkloadQueue, AMoveThatLeavesIsRemovedFromAllQueues) {
  WorkloadQueue workload_queue;
  workload_queue.enqueue("pod", "a", false);
  workload_queue.enqueue("web", "a", false);
  workload_queue.enqueue("web", "b", false);
  EXPECT_THAT(workload_queue.remove("a"), ElementsAre("b"));
  EXPECT_EQ(workload_queue.ahead_of("pod", "b"), "");
  workload_queue.enqueue("", "b", false);  // its workload is not known yet
  EXPECT_EQ(workload_queue.ahead_of("", "c"), "");
}

}  // namespace
}  // namespace rescheduler::migration
