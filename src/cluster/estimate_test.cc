#include "cluster/estimate.h"

#include <gtest/gtest.h>

namespace rescheduler::cluster {
namespace {

constexpr std::int64_t kGibibyte = std::int64_t{1} << 30;
ResourceList amounts(std::int64_t cpu, std::int64_t memory) { return {.cpu = cpu, .memory = memory}; }

Loads estimate(std::int64_t cpu, std::int64_t memory, const ResourceList& allocatable) {
  PodRequests requests;
  requests.plain = amounts(cpu, memory);
  requests.nonzero_cpu = 7;  // the estimate does not use the scoring values
  return estimated_loads(requests, allocatable);
}

TEST(Estimate, TheEstimatedLoadOfAPodIsItsRequests) {
  const Loads loads = estimate(1000, kGibibyte, amounts(4000, 8 * kGibibyte));
  EXPECT_DOUBLE_EQ(loads[kCpuLoad], 0.25);
  EXPECT_DOUBLE_EQ(loads[kMemoryLoad], 0.125);
  EXPECT_EQ(loads[2], 0) << "the load of further resources is not estimated";
}

TEST(Estimate, AResourceWithoutARequestHasADefaultEstimate) {
  const Loads loads = estimate(0, 0, amounts(1000, 2000 * (std::int64_t{1} << 20)));
  EXPECT_DOUBLE_EQ(loads[kCpuLoad], 0.25);
  EXPECT_DOUBLE_EQ(loads[kMemoryLoad], 0.1);
  EXPECT_DOUBLE_EQ(estimate(100, 0, amounts(1000, kGibibyte))[kCpuLoad], 0.1)
      << "the default applies to each resource separately";
}

TEST(Estimate, ANodeWithoutAllocatableResourcesCountsAsFull) {
  EXPECT_EQ(estimate(1, 1, {})[kCpuLoad], 1);
  EXPECT_EQ(estimate(1, 1, {})[kMemoryLoad], 1);
}

}  // namespace
}  // namespace rescheduler::cluster
