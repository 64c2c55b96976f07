#include "sim/load/sharing.h"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::sim {
namespace {

using testing::ElementsAre;

std::vector<std::int64_t> granted(std::vector<CpuClaim> claims, std::int64_t capacity) {
  share_cpu(claims, capacity);
  std::vector<std::int64_t> amounts;
  for (const CpuClaim& claim : claims) amounts.push_back(claim.granted);
  return amounts;
}

TEST(Sharing, EveryClaimGetsItsDemandWhileTheCapacitySuffices) {
  EXPECT_THAT(granted({{300, 1}, {700, 9}}, 1000), ElementsAre(300, 700));
}

TEST(Sharing, AContendedCpuIsSharedByWeight) {
  EXPECT_THAT(granted({{1000, 1}, {1000, 3}}, 1000), ElementsAre(250, 750));
}

TEST(Sharing, AnUnusedShareGoesToTheOtherClaims) {
  EXPECT_THAT(granted({{1000, 1}, {100, 8}, {1000, 1}}, 1000), ElementsAre(450, 100, 450));
}

RC_GTEST_PROP(Sharing, NoClaimExceedsItsDemandAndNoCapacityIsUnusedWhileDemandRemains, ()) {
  const auto count = *rc::gen::inRange(1, 20);
  std::vector<CpuClaim> claims;
  std::int64_t demanded = 0;
  for (int i = 0; i < count; ++i) {
    claims.push_back(
        {*rc::gen::inRange<std::int64_t>(0, 5'000'000), *rc::gen::inRange<std::int64_t>(2'000, 4'000'000)});
    demanded += claims.back().demand;
  }
  const auto capacity = *rc::gen::inRange<std::int64_t>(0, 20'000'000);
  const std::int64_t total = share_cpu(claims, capacity);
  std::int64_t sum = 0;
  for (const CpuClaim& claim : claims) {
    RC_ASSERT(claim.granted >= 0);
    RC_ASSERT(claim.granted <= claim.demand);
    sum += claim.granted;
  }
  RC_ASSERT(sum == total);
  RC_ASSERT(total <= std::min(capacity, demanded));
  RC_ASSERT(total >= std::min(capacity, demanded) - count);
  // Fairness: a claim that gets less than its demand gets, per weight, at least as much as any other claim.
  for (const CpuClaim& poor : claims) {
    if (poor.granted == poor.demand) continue;
    for (const CpuClaim& rich : claims) {
      const double mine = static_cast<double>(poor.granted + count) / static_cast<double>(poor.weight);
      const double theirs = static_cast<double>(rich.granted - count) / static_cast<double>(rich.weight);
      RC_ASSERT(mine >= theirs);
    }
  }
}

}  // namespace
}  // namespace rescheduler::sim
