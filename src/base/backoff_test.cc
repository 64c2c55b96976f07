#include "base/backoff.h"

#include <gtest/gtest.h>

namespace rescheduler {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, GrowsToItsCeilingAndStaysWithinItsJitter) {
  Rng rng(1);
  Backoff backoff({milliseconds{100}, milliseconds{1000}, 2.0, 0.5}, rng);
  for (const int nominal : {100, 200, 400, 800, 1000, 1000}) {
    const auto wait = backoff.next();
    EXPECT_GE(wait, milliseconds{nominal / 2});
    EXPECT_LE(wait, std::min(milliseconds{1000}, milliseconds{nominal * 3 / 2}));
  }
  EXPECT_EQ(backoff.failures(), 6);
}

TEST(Backoff, ResetStartsOver) {
  Rng rng(1);
  Backoff backoff({milliseconds{100}, milliseconds{10'000}, 10.0, 0.0}, rng);
  EXPECT_EQ(backoff.next(), milliseconds{100});
  EXPECT_EQ(backoff.next(), milliseconds{1000});
  backoff.reset();
  EXPECT_EQ(backoff.next(), milliseconds{100});
}

TEST(Backoff, TheDelayIsNeverShorterThanTheServersRetryAfter) {
  Rng rng(5);
  Backoff backoff({milliseconds{10}, milliseconds{100}, 2.0, 0.5}, rng);
  for (int round = 0; round < 100; ++round) {
    const auto wait = backoff.next(milliseconds{5000});
    EXPECT_GE(wait, milliseconds{5000});
    EXPECT_LE(wait, milliseconds{5500});
  }
}

}  // namespace
}  // namespace rescheduler
