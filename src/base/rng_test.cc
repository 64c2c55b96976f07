#include "base/rng.h"

#include <array>

#include <gtest/gtest.h>

namespace rescheduler {
namespace {

TEST(Rng, TheSameSeedGivesTheSameSequenceOnEveryMachine) {
  Rng rng(1);
  EXPECT_EQ(rng.next(), 0xb3f2af6d0fc710c5U);
  EXPECT_EQ(rng.next(), 0x853b559647364ceaU);
}

TEST(Rng, BelowCoversItsRangeEvenly) {
  Rng rng(7);
  std::array<int, 6> seen{};
  for (int draw = 0; draw < 60'000; ++draw) ++seen[rng.below(6)];
  for (const int count : seen) EXPECT_NEAR(count, 10'000, 500);
}

TEST(Rng, UnitStaysBelowOne) {
  Rng rng(3);
  for (int draw = 0; draw < 10'000; ++draw) {
    const double value = rng.unit();
    ASSERT_GE(value, 0.0);
    ASSERT_LT(value, 1.0);
  }
}

}  // namespace
}  // namespace rescheduler
