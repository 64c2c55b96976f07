#include "cluster/balance.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rescheduler::cluster::testing {
namespace {

using Loads = std::vector<double>;

double score(const Loads& cpu, const Loads& memory, BalanceWeights weights = {}) {
  return balance_of(spread_of(cpu), spread_of(memory), weights).score;
}

TEST(BalanceScore, IsOneHundredForEqualNodesAndZeroIfHalfTheNodesAreFullAndHalfAreEmpty) {
  EXPECT_DOUBLE_EQ(score({0.5, 0.5, 0.5}, {0.1, 0.1, 0.1}), 100);
  EXPECT_DOUBLE_EQ(score({0, 0}, {0, 0}), 100);
  EXPECT_DOUBLE_EQ(score({0.7}, {0.2}), 100);
  EXPECT_DOUBLE_EQ(score({1, 0}, {1, 0}), 0);
}

TEST(BalanceScore, IsOneHundredMinusTwiceTheWeightedDeviation) {
  // Deviations: 20 points of CPU, 10 of memory.
  EXPECT_DOUBLE_EQ(score({0.3, 0.7}, {0.4, 0.6}), 100 - 2 * (0.6 * 20 + 0.4 * 10));
  EXPECT_DOUBLE_EQ(score({0.3, 0.7}, {0.4, 0.6}, {1, 3}), 100 - 2 * (0.25 * 20 + 0.75 * 10));
  EXPECT_DOUBLE_EQ(score({0.3, 0.7}, {0.4, 0.6}, {0, 0}), 100 - 2 * 15);
}

TEST(BalanceScore, IsNeverNegativeButDeviationAndMaximumAreNotLimited) {
  const Balance over = balance_of(spread_of(Loads{3, 0}), spread_of(Loads{3, 0}), {});
  EXPECT_EQ(over.score, 0);
  EXPECT_DOUBLE_EQ(over.cpu_deviation, 150);
  EXPECT_DOUBLE_EQ(over.memory_max, 300);
}

TEST(BalanceScore, IsUnknownIfTheLoadOfAResourceIsUnknownOnAllNodes) {
  EXPECT_FALSE(balance_of({}, {}, {}).known());
  EXPECT_TRUE(std::isnan(score({}, {})));
  EXPECT_TRUE(std::isnan(score({kUnknownLoad}, {kUnknownLoad})));
  EXPECT_TRUE(std::isnan(score({0.5}, {kUnknownLoad}))) << "the memory load is unknown";
}

TEST(BalanceScore, IgnoresNodesWithUnknownLoad) {
  EXPECT_DOUBLE_EQ(score({0.3, kUnknownLoad, 0.7}, {0.4, 0.6, kUnknownLoad}), score({0.3, 0.7}, {0.4, 0.6}));
}

}  // namespace
}  // namespace rescheduler::cluster::testing
