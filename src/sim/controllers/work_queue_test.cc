#include "sim/controllers/work_queue.h"

#include <vector>

#include <gtest/gtest.h>

namespace rescheduler::sim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Queue {
  Agenda agenda;
  std::vector<std::string> seen;
  WorkQueue queue{agenda, milliseconds{10}, [this](const std::string& key) { seen.push_back(key); }};
};

TEST(WorkQueue, ABurstOfChangesToOneKeyCausesOneReconcile) {
  Queue q;
  for (const char* key : {"a", "b", "a", "a", "b"}) q.queue.add(key);
  q.agenda.run_for(seconds{1});
  EXPECT_EQ(q.seen, (std::vector<std::string>{"a", "b"}));
}

TEST(WorkQueue, AKeyAddedDuringItsReconcileIsReconciledAgain) {
  Agenda agenda;
  int reconciles = 0;
  WorkQueue* again = nullptr;
  WorkQueue queue(agenda, milliseconds{10}, [&](const std::string& key) {
    if (++reconciles < 3) again->add(key);
  });
  again = &queue;
  queue.add("a");
  agenda.run_for(seconds{1});
  EXPECT_EQ(reconciles, 3);
}

TEST(WorkQueue, TheEarliestOfSeveralDelayedAddsCounts) {
  Queue q;
  q.queue.add_after("a", seconds{10});
  q.queue.add_after("a", seconds{5});
  q.queue.add_after("a", seconds{20});
  q.agenda.run_for(seconds{6});
  EXPECT_EQ(q.seen.size(), 1U);
  q.agenda.run_for(seconds{60});
  EXPECT_EQ(q.seen.size(), 1U);
}

TEST(WorkQueue, EachConsecutiveFailureDoublesTheDelay) {
  Agenda agenda;
  std::vector<SteadyTime> reconciles;
  WorkQueue* self = nullptr;
  WorkQueue queue(agenda, milliseconds{0}, [&](const std::string& key) {
    reconciles.push_back(agenda.steady_now());
    if (reconciles.size() < 5) self->add_after_failure(key);
  });
  self = &queue;
  queue.add("a");
  agenda.run_for(seconds{10});
  ASSERT_EQ(reconciles.size(), 5U);
  EXPECT_EQ(reconciles[1] - reconciles[0], milliseconds{5});
  EXPECT_EQ(reconciles[2] - reconciles[1], milliseconds{10});
  EXPECT_EQ(reconciles[4] - reconciles[3], milliseconds{40});
}

TEST(WorkQueue, NothingRunsAfterTheQueueIsDestroyed) {
  Agenda agenda;
  bool ran = false;
  {
    WorkQueue queue(agenda, milliseconds{10}, [&](const std::string&) { ran = true; });
    queue.add("a");
    queue.add_after("b", seconds{1});
  }
  agenda.run_for(seconds{5});
  EXPECT_FALSE(ran);
}

}  // namespace
}  // namespace rescheduler::sim
