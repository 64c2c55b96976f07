// Each number is calculated by hand from the published descriptions.
#include "rules/formulas.h"

#include <gtest/gtest.h>

namespace rescheduler::replay {
namespace {

TEST(TargetLoadPacking, TheScoreIsHighestAtTheTargetAndFallsOnBothSides) {
  EXPECT_EQ(packing_score(0), 40);
  EXPECT_EQ(packing_score(20), 70);
  EXPECT_EQ(packing_score(40), 100);
  EXPECT_EQ(packing_score(70), 20);
  EXPECT_EQ(packing_score(100), 0);
  EXPECT_EQ(packing_score(130), 0);
}

TEST(TargetLoadPacking, TheScoreDropsJustAboveTheTarget) { EXPECT_EQ(packing_score(40.01), 40); }

TEST(TargetLoadPacking, TheEstimateIsTheLimitElseOneAndAHalfTimesTheRequestElseOneCore) {
  EXPECT_DOUBLE_EQ(packing_estimate(1, 2), 2);
  EXPECT_DOUBLE_EQ(packing_estimate(1, 0), 1.5);
  EXPECT_DOUBLE_EQ(packing_estimate(0, 0), 1);
}

TEST(LoadVariationRiskBalancing, MeanAndDeviationHaveTheSameWeight) {
  EXPECT_DOUBLE_EQ(variation_score(0, 0), 100);
  EXPECT_DOUBLE_EQ(variation_score(0.5, 0.1), 70);  // risk (0.5 + 0.1) / 2
  EXPECT_DOUBLE_EQ(variation_score(0.6, 0), variation_score(0.4, 0.2));
  EXPECT_DOUBLE_EQ(variation_score(1.5, 2), 0);
}

TEST(CraneDynamic, ANodeAboveEitherLimitIsRefused) {
  EXPECT_FALSE(crane_refuses({.mean_5m = 0.65, .largest_1h = 0.75, .largest_1d = 1}));
  EXPECT_TRUE(crane_refuses({.mean_5m = 0.66}));
  EXPECT_TRUE(crane_refuses({.largest_1h = 0.76}));
}

TEST(CraneDynamic, TheScoreIsTheFreeShareMinusTenPointsPerHotValue) {
  const CraneLoad cpu{0.5, 0.6, 0.8};     // 0.2*0.5 + 0.3*0.4 + 0.5*0.2 = 0.32
  const CraneLoad memory{0.2, 0.2, 0.2};  // 0.8
  EXPECT_EQ(crane_score(cpu, memory, 0), 56);
  EXPECT_EQ(crane_score(cpu, memory, 2), 36);
  EXPECT_EQ(crane_score(cpu, memory, 7), 0);
}

TEST(CraneDynamic, TheHotValueGrowsWithFiveBindingsInFiveMinutesOrTwoInOneMinute) {
  EXPECT_EQ(crane_hot_value(4, 1), 0);
  EXPECT_EQ(crane_hot_value(5, 0), 1);
  EXPECT_EQ(crane_hot_value(5, 5), 3);
}

TEST(KoordinatorLoadAware, TheEstimateUsesTheLargerOfRequestAndLimit) {
  EXPECT_DOUBLE_EQ(koordinator_estimate(1, 0, 0.85, 0.25), 0.85);
  EXPECT_DOUBLE_EQ(koordinator_estimate(1, 2, 0.85, 0.25), 1.7);
  EXPECT_DOUBLE_EQ(koordinator_estimate(0, 0, 0.85, 0.25), 0.25);
}

TEST(KoordinatorLoadAware, ANodeAboveAThresholdAfterRoundingIsRefused) {
  EXPECT_FALSE(koordinator_refuses(0.654, 0.5));
  EXPECT_TRUE(koordinator_refuses(0.656, 0.5));
  EXPECT_FALSE(koordinator_refuses(0.1, 0.95));
  EXPECT_TRUE(koordinator_refuses(0.1, 0.96));
}

TEST(KoordinatorLoadAware, TheScoreIsTheMeanOfTheFreeShares) {
  EXPECT_EQ(koordinator_score(0.25, 0.5), 62);  // (75 + 50) / 2, rounded down
  EXPECT_EQ(koordinator_score(1.2, 0.5), 25);
}

}  // namespace
}  // namespace rescheduler::replay
