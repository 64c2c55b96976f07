#include "kube/client/rate_limiter.h"

#include <gtest/gtest.h>

namespace rescheduler::kube {
namespace {

using std::chrono::milliseconds;

TEST(RateLimiter, CallsBeyondTheBurstWaitInOrder) {
  ManualClock clock;
  RateLimiter limiter(10, 3);
  for (int call = 0; call < 3; ++call) EXPECT_EQ(limiter.reserve(clock.steady_now()).count(), 0);
  EXPECT_EQ(limiter.reserve(clock.steady_now()), milliseconds{100});
  EXPECT_EQ(limiter.reserve(clock.steady_now()), milliseconds{200}) << "each call waits behind the previous call";
}

TEST(RateLimiter, RefillsWithTimeButNeverBeyondTheBurst) {
  ManualClock clock;
  RateLimiter limiter(10, 2);
  (void)limiter.reserve(clock.steady_now());
  (void)limiter.reserve(clock.steady_now());
  clock.advance(std::chrono::hours{1});
  EXPECT_EQ(limiter.reserve(clock.steady_now()).count(), 0);
  EXPECT_EQ(limiter.reserve(clock.steady_now()).count(), 0);
  EXPECT_GT(limiter.reserve(clock.steady_now()).count(), 0);
}

TEST(RateLimiter, ZeroMeansNoLimit) {
  ManualClock clock;
  RateLimiter limiter(0, 0);
  for (int call = 0; call < 1000; ++call) ASSERT_EQ(limiter.reserve(clock.steady_now()).count(), 0);
}

}  // namespace
}  // namespace rescheduler::kube
