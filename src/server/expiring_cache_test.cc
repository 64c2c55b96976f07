#include "server/expiring_cache.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace rescheduler::server {
namespace {

using namespace std::chrono_literals;

TEST(ExpiringCacheTest, AnEntryIsRemovedAfterItsTimeToLive) {
  ManualClock clock;
  ExpiringCache<int> cache(clock, 8);
  cache.put("a", 1, 10s);
  clock.advance(10s - 1ns);
  EXPECT_EQ(cache.find("a"), 1);
  clock.advance(1ns);
  EXPECT_EQ(cache.find("a"), std::nullopt);
  EXPECT_EQ(cache.size(), 0u);
}

TEST(ExpiringCacheTest, AFullCacheDropsTheOldestEntry) {
  ManualClock clock;
  ExpiringCache<int> cache(clock, 2);
  cache.put("a", 1, 10s);
  cache.put("b", 2, 10s);
  cache.put("a", 3, 10s);
  cache.put("c", 4, 10s);
  EXPECT_EQ(cache.find("a"), 3);
  EXPECT_EQ(cache.find("b"), std::nullopt);
  EXPECT_EQ(cache.find("c"), 4);
}

RC_GTEST_PROP(ExpiringCacheTest, NeverExceedsItsCapacityAndFindsTheLastValue, (const std::vector<int>& keys)) {
  ManualClock clock;
  ExpiringCache<int> cache(clock, 5);
  for (const int key : keys) {
    cache.put(std::to_string(key % 9), key, 1s);
    RC_ASSERT(cache.find(std::to_string(key % 9)) == key);
    RC_ASSERT(cache.size() <= 5u);
  }
}

}  // namespace
}  // namespace rescheduler::server
