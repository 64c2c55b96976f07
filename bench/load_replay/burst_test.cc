// The claims about placing by load, tested on the plugin Rescheduler and the LoadTracker.
#include "burst.h"

#include <gtest/gtest.h>

#include "rules/ours.h"

namespace rescheduler::replay {
namespace {

// In addition to kube-scheduler's plugins, whose score weights sum to 12.
constexpr int kWeight = 5;

NamedRule ours(int weight = kWeight) { return {"rescheduler", rescheduler_plugin(), weight}; }

TEST(Burst, PodsBetweenTwoReadingsAreSpreadOverEqualNodes) {
  for (const int weight : {1, kWeight, 100}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      EXPECT_LE(burst(ours(weight), {.seed = seed}), 1.15) << "weight " << weight << ", seed " << seed;
      EXPECT_LE(burst(ours(weight), {.mixed = true, .seed = seed}), 1.15) << "weight " << weight << ", seed " << seed;
    }
  }
}

// One pod of two cores is 0.13 of the mean: a node may exceed its share by at most that, and a little for rounding.
TEST(Burst, PodsAreNotAllPlacedOnTheOneIdleNode) {
  for (const int weight : {1, kWeight, 100}) {
    EXPECT_LE(burst(ours(weight), {.mixed = true, .one_idle = true}), 1.2) << "weight " << weight;
  }
}

// Shows that the test above can fail: this rule does not count the pods that it has placed.
TEST(Burst, ARuleThatDoesNotCountItsPlacementsOverloadsTheIdleNode) {
  const NamedRule rule{"LoadVariationRiskBalancing", load_variation_risk_balancing(), kWeight};
  EXPECT_GT(burst(rule, {.mixed = true, .one_idle = true}), 1.5);
}

}  // namespace
}  // namespace rescheduler::replay
