#include "usage/sample.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace rescheduler::usage {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kNow{seconds{1'800'000'000}};

Sample sample(std::string node, double value, std::size_t resource = cluster::kCpuLoad, WallTime at = kNow) {
  return {.node = std::move(node), .resource = resource, .value = value, .at = at};
}

TEST(Sample, PlausibleAndFreshSamplesAreKept) {
  const Reading read =
      sift({{sample("a", 0.0), sample("a", 0.5, cluster::kMemoryLoad), sample("b", 1.2)}, {}}, {}, kNow);
  EXPECT_EQ(read.samples.size(), 3u);
  EXPECT_EQ(read.dropped.total(), 0u);
}

TEST(Sample, EachFaultOfASampleHasItsOwnDropReason) {
  const auto fault = [](Sample one) { return fault_of(one, SampleRules{}, kNow); };
  EXPECT_EQ(fault(sample("a", std::nan(""))), Drop::NotANumber);
  EXPECT_EQ(fault(sample("a", std::numeric_limits<double>::infinity())), Drop::NotANumber);
  EXPECT_EQ(fault(sample("a", -0.03)), Drop::Negative);
  EXPECT_EQ(fault(sample("a", 10.01)), Drop::Absurd);
  EXPECT_EQ(fault(sample("a", 10.0)), std::nullopt);
  EXPECT_EQ(fault(sample("", 0.5)), Drop::NoNode);
  EXPECT_EQ(fault(sample("a", 0.5, 0, kNow + seconds{31})), Drop::Future);
  EXPECT_EQ(fault(sample("a", 0.5, 0, kNow + seconds{30})), std::nullopt);
  EXPECT_EQ(fault(sample("a", 0.5, 0, kNow - minutes{3} - seconds{1})), Drop::Stale);
  EXPECT_EQ(fault(sample("a", 0.5, 0, kNow - minutes{3})), std::nullopt);
}

TEST(Sample, ASlightlyNegativeValueIsReadAsZero) {
  const Reading read = sift({{sample("a", -0.01)}, {}}, {}, kNow);
  ASSERT_EQ(read.samples.size(), 1u);
  EXPECT_EQ(read.samples[0].value, 0.0);
}

TEST(Sample, TwoSamplesForOneNodeAndResourceAreBothDropped) {
  Reading raw{{sample("a", 0.1), sample("b", 0.2), sample("a", 0.9), sample("a", 0.3, cluster::kMemoryLoad)}, {}};
  const Reading read = sift(std::move(raw), {}, kNow);
  ASSERT_EQ(read.samples.size(), 2u);
  EXPECT_EQ(read.samples[0].node, "b");
  EXPECT_EQ(read.samples[1].resource, cluster::kMemoryLoad);
  EXPECT_EQ(read.dropped[Drop::Ambiguous], 2u);
}

TEST(Sample, AnInvalidDuplicateAlsoDropsTheValidSample) {
  const Reading read = sift({{sample("a", 0.1), sample("a", std::nan(""))}, {}}, {}, kNow);
  EXPECT_TRUE(read.samples.empty());
  EXPECT_EQ(read.dropped[Drop::Ambiguous], 2u);
}

TEST(Sample, SamplesWithoutANodeAreNotDuplicates) {
  const Reading read = sift({{sample("", 0.1), sample("", 0.2)}, {}}, {}, kNow);
  EXPECT_EQ(read.dropped[Drop::NoNode], 2u);
  EXPECT_EQ(read.dropped[Drop::Ambiguous], 0u);
}

TEST(Sample, SamplesThatTheSourceDroppedStayCounted) {
  Reading raw{{sample("a", -1.0)}, {}};
  raw.dropped[Drop::NoNode] = 4;
  const Reading read = sift(std::move(raw), {}, kNow);
  EXPECT_EQ(read.dropped.total(), 5u);
  EXPECT_EQ(read.dropped.text(), "1 negative, 4 of unknown nodes");
  EXPECT_EQ(read.newest(), std::nullopt);
}

}  // namespace
}  // namespace rescheduler::usage
