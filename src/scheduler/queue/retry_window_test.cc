#include "scheduler/queue/retry_window.h"

#include <vector>

#include <gtest/gtest.h>

#include "scheduler/queue/queue_fixture.h"

namespace rescheduler::scheduler {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(RetryWindow, TheBackoffDoublesFromTheInitialToTheMaximumBackoff) {
  const RetrySettings settings;
  const std::vector<int> waits = {0, 1, 2, 4, 8, 10, 10};
  for (std::size_t i = 0; i < waits.size(); ++i) {
    EXPECT_EQ(backoff_after(static_cast<int>(i), settings), seconds{waits[i]}) << i;
  }
  EXPECT_EQ(backoff_after(1'000'000, settings), seconds{10});
}

TEST(RetryWindow, TheBackoffNeverExceedsTheMaximum) {
  EXPECT_EQ(backoff_after(1, {.initial_backoff = seconds{30}, .max_backoff = seconds{10}}), seconds{10});
  EXPECT_EQ(backoff_after(3, {.initial_backoff = milliseconds{300}, .max_backoff = seconds{1}}), seconds{1});
}

TEST(RetryWindow, AMaximumOfZeroMeansNoBackoff) {
  WaitingPod pod;
  pod.rejections = 3;
  EXPECT_FALSE(backoff_end(pod, {.max_backoff = seconds{0}}));
}

TEST(RetryWindow, TheBackoffLastsUntilTheEndOfTheSecondInWhichItExpires) {
  WaitingPod pod;
  pod.rejections = 1;
  for (const double failed_at : {0.0, 0.5, 0.999}) {
    pod.timestamp = at(failed_at);
    const auto end = backoff_end(pod, {});
    EXPECT_EQ(end, second_of(at(1)));
    EXPECT_TRUE(backing_off(end, at(1.999)));
    EXPECT_FALSE(backing_off(end, at(2)));
  }
}

TEST(RetryWindow, ConsecutiveErrorsDetermineTheBackoffInsteadOfRejections) {
  WaitingPod pod;
  pod.timestamp = at(0);
  pod.rejections = 5;
  pod.errors = 2;
  EXPECT_EQ(backoff_end(pod, {}), second_of(at(2)));
  pod.errors = 0;
  EXPECT_EQ(backoff_end(pod, {}), second_of(at(10)));
  pod.rejections = 0;
  EXPECT_FALSE(backoff_end(pod, {}));
}

}  // namespace
}  // namespace rescheduler::scheduler
