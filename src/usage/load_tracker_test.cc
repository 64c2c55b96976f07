#include "usage/load_tracker.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <gtest/gtest.h>

#include "cluster/estimate.h"
#include "cluster/testing.h"

namespace rescheduler::usage {
namespace {

using cluster::kCpuLoad;
using cluster::kMemoryLoad;
using cluster::LoadBasis;
using cluster::NodeIndex;
using cluster::NodeLoad;
using cluster::testing::node;
using cluster::testing::pod;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr WallTime kStart{seconds{1'800'000'000}};

class LoadTrackerTest : public ::testing::Test {
 protected:
  LoadTrackerTest() {
    for (const char* name : {"a", "b"}) cluster.upsert_node(node(name).cpu("4").memory("8Gi"));
    tracker.look(kStart);
  }

  NodeIndex at(std::string_view name) const { return cluster.find_node(name).value(); }
  const NodeLoad& load(std::string_view name) const { return cluster.node(at(name)).load; }
  void measure(std::string name, double cpu, WallTime when, std::string source = "prometheus") {
    Reading reading;
    reading.samples.push_back({.node = name, .resource = kCpuLoad, .value = cpu, .at = when});
    tracker.take(reading, std::move(source), when);
    tracker.look(when);
  }
  void place(const std::string& name, const std::string& on, WallTime when, const std::string& cpu = "1") {
    tracker.placed(name, at(on), *cluster.compiled_spec_of(pod(name).requests(cpu, "2Gi"))->requirements, when);
  }

  cluster::Cluster cluster;
  LoadTracker tracker{LoadTrackerSettings{.smoothing = {.kind = Smoothing::None}}, cluster};
};

TEST_F(LoadTrackerTest, TheLoadOfANodeWithoutSamplesIsUnknownAndNotZero) {
  measure("a", 0.5, kStart);
  EXPECT_DOUBLE_EQ(load("a").used[kCpuLoad], 0.5);
  EXPECT_FALSE(load("a").knows(kMemoryLoad));
  EXPECT_FALSE(load("b").knows(kCpuLoad));
  EXPECT_EQ(cluster.load_summary().basis, LoadBasis::Usage);
  EXPECT_EQ(cluster.load_summary().source, "prometheus");
  EXPECT_DOUBLE_EQ(cluster.load_summary().mean[kCpuLoad], 0.5);  // of the nodes whose load is known
  EXPECT_TRUE(std::isnan(cluster.load_summary().mean[kMemoryLoad]));
}

TEST_F(LoadTrackerTest, AStaleLoadIsUnknownUntilTheNextSample) {
  measure("a", 0.5, kStart);
  tracker.look(kStart + minutes{3});
  EXPECT_TRUE(load("a").knows(kCpuLoad));
  tracker.look(kStart + minutes{3} + seconds{1});
  EXPECT_FALSE(load("a").knows(kCpuLoad));
  EXPECT_TRUE(std::isnan(cluster.load_summary().mean[kCpuLoad]));
  measure("a", 0.2, kStart + minutes{5});
  EXPECT_DOUBLE_EQ(load("a").used[kCpuLoad], 0.2);
}

TEST_F(LoadTrackerTest, InvalidSamplesAndSamplesOfUnknownNodesAreIgnored) {
  measure("a", 0.5, kStart);
  measure("a", std::nan(""), kStart + seconds{15});
  measure("a", -1.0, kStart + seconds{30});
  measure("stranger", 0.1, kStart + seconds{30});
  EXPECT_DOUBLE_EQ(load("a").used[kCpuLoad], 0.5);
}

TEST_F(LoadTrackerTest, AnEmptyReadingDoesNotMakeUsageTheBasis) {
  tracker.take({}, "prometheus", kStart);
  EXPECT_EQ(cluster.load_summary().basis, LoadBasis::Requests);
}

TEST_F(LoadTrackerTest, ThePodsWholeLoadIsReservedAsSoonAsThePodIsPlaced) {
  measure("a", 0.5, kStart);
  place("p", "a", kStart + seconds{1});
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.25);
  EXPECT_DOUBLE_EQ(load("a").reserved[kMemoryLoad], 0.25);
  EXPECT_DOUBLE_EQ(load("a").predicted(kCpuLoad), 0.75);
  EXPECT_DOUBLE_EQ(load("b").reserved[kCpuLoad], 0.0);
}

TEST_F(LoadTrackerTest, AReservationShrinksWithNewSamplesAndNotWithTime) {
  measure("a", 0.5, kStart);
  place("p", "a", kStart);
  tracker.look(kStart + minutes{2});
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.25);
  measure("a", 0.5, kStart + minutes{2});
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.25 * 0.6);  // two of the five minutes of rate[5m]
  EXPECT_DOUBLE_EQ(load("a").reserved[kMemoryLoad], 0.25);     // no newer memory sample
  measure("a", 0.75, kStart + minutes{5});
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.0);
  EXPECT_DOUBLE_EQ(load("a").predicted(kCpuLoad), 0.75);
}

TEST_F(LoadTrackerTest, AReservationShrinksFasterIfTheSourceAveragesOverAShorterTime) {
  place("p", "a", kStart);
  Sample sample{.node = "a", .value = 0.5, .at = kStart + seconds{15}, .averaged = seconds{30}};
  tracker.take({{sample}, {}}, "metrics-server", sample.at);
  tracker.look(sample.at);
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.125);
}

TEST_F(LoadTrackerTest, APodThatWasPlacedLongAgoGetsNoReservation) {
  measure("a", 0.5, kStart);
  place("old", "a", kStart - std::chrono::hours{1});
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.0);
  EXPECT_EQ(tracker.reservations(), 0u);
}

TEST_F(LoadTrackerTest, AReservationIsDroppedWhenEveryFreshSampleContainsIt) {
  place("p", "a", kStart);
  tracker.look(kStart + minutes{8});
  EXPECT_EQ(tracker.reservations(), 1u);
  tracker.look(kStart + minutes{8} + seconds{1});  // freshness plus the five minutes of the mean
  EXPECT_EQ(tracker.reservations(), 0u);
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.0);
}

TEST_F(LoadTrackerTest, ReleasingAPodRestoresTheExactSums) {
  place("p", "a", kStart, "100m");
  const NodeLoad before = load("a");
  place("q", "a", kStart, "333m");
  tracker.release("q");
  EXPECT_EQ(load("a").reserved, before.reserved);
  tracker.release("q");
  tracker.release("unknown");
  EXPECT_EQ(load("a").reserved, before.reserved);
}

TEST_F(LoadTrackerTest, ARepeatedPlacementReservesOnceAndAnotherNodeMovesTheReservation) {
  place("p", "a", kStart);
  place("p", "a", kStart + seconds{5});
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.25);
  place("p", "b", kStart + seconds{6});
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.0);
  EXPECT_DOUBLE_EQ(load("b").reserved[kCpuLoad], 0.25);
}

TEST_F(LoadTrackerTest, APodWithoutRequestsReservesADefaultLoad) {
  tracker.placed("p", at("a"), *cluster.compiled_spec_of(pod("p"))->requirements, kStart);
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 250.0 / 4000.0);
  EXPECT_DOUBLE_EQ(load("a").reserved[kMemoryLoad], 200.0 / 8192.0);
}

TEST_F(LoadTrackerTest, AReservationNeverLowersTheLoadOfANode) {
  cluster::Loads invalid{};
  invalid[kCpuLoad] = -0.5;
  invalid[kMemoryLoad] = std::nan("");
  tracker.reserve("move", at("a"), invalid, kStart);
  EXPECT_DOUBLE_EQ(load("a").reserved[kCpuLoad], 0.0);
  EXPECT_DOUBLE_EQ(load("a").reserved[kMemoryLoad], 0.0);
}

TEST_F(LoadTrackerTest, SamplesOfTwoSourcesAreNotMixed) {
  LoadTracker smoothing{LoadTrackerSettings{}, cluster};
  Reading reading{{{.node = "a", .value = 0.9, .at = kStart}}, {}};
  smoothing.take(reading, "prometheus", kStart);
  reading.samples[0] = {.node = "a", .value = 0.1, .at = kStart + seconds{15}};
  smoothing.take(reading, "metrics-server", kStart + seconds{15});
  smoothing.look(kStart + seconds{15});
  EXPECT_DOUBLE_EQ(load("a").used[kCpuLoad], 0.1);
}

TEST_F(LoadTrackerTest, ANewNodeAtTheSameIndexInheritsNoLoad) {
  measure("a", 0.9, kStart);
  place("p", "a", kStart);
  const NodeIndex index_of_a = at("a");
  cluster.remove_node("a");
  cluster.upsert_node(node("c").cpu("4").memory("8Gi"));
  ASSERT_EQ(at("c"), index_of_a);
  tracker.look(kStart + seconds{1});
  EXPECT_FALSE(load("c").knows(kCpuLoad));
  EXPECT_DOUBLE_EQ(load("c").reserved[kCpuLoad], 0.0);
  EXPECT_EQ(tracker.reservations(), 0u);
  tracker.release("p");
}

TEST_F(LoadTrackerTest, RemovingANodeDropsItsReservations) {
  place("p", "a", kStart);
  cluster.remove_node("a");
  tracker.look(kStart + seconds{1});
  EXPECT_EQ(tracker.reservations(), 0u);
  place("q", "b", kStart + seconds{1});
  EXPECT_EQ(tracker.reservations(), 1u);
}

TEST_F(LoadTrackerTest, PlacementsAreCountedOnlyWhileTheBasisIsRoundRobin) {
  place("before", "a", kStart);
  EXPECT_EQ(load("a").round_robin_count, 0u);
  tracker.fall_back(LoadBasis::RoundRobin, "turns", kStart);
  EXPECT_EQ(cluster.load_summary().basis, LoadBasis::RoundRobin);
  place("p", "a", kStart);
  place("q", "a", kStart);
  EXPECT_EQ(load("a").round_robin_count, 2u);
  tracker.release("before");
  EXPECT_EQ(load("a").round_robin_count, 2u);
  tracker.release("p");
  tracker.look(kStart + seconds{1});
  EXPECT_EQ(load("a").round_robin_count, 1u);
  measure("a", 0.5, kStart + seconds{2});
  EXPECT_EQ(load("a").round_robin_count, 0u);
}

TEST_F(LoadTrackerTest, AnUpdateWithoutNewDataChangesNoNodeGeneration) {
  measure("a", 0.5, kStart);
  place("p", "a", kStart + seconds{1});
  tracker.look(kStart + seconds{5});
  const auto before = cluster.generations();
  tracker.look(kStart + seconds{10});
  EXPECT_EQ(cluster.generations(), before);
}

TEST_F(LoadTrackerTest, TheMeanFollowsLargeReservationsAndNewSamplesButNotSmallReservations) {
  measure("a", 0.5, kStart);
  place("small", "a", kStart, "10m");
  tracker.look(kStart + seconds{1});
  EXPECT_DOUBLE_EQ(cluster.load_summary().mean[kCpuLoad], 0.5);
  place("large", "a", kStart, "1");
  tracker.look(kStart + seconds{2});
  EXPECT_DOUBLE_EQ(cluster.load_summary().mean[kCpuLoad], 0.7525);
  measure("a", 0.501, kStart + seconds{15});
  EXPECT_DOUBLE_EQ(cluster.load_summary().mean[kCpuLoad], load("a").predicted(kCpuLoad));
}

// Pods use exactly their requests, and nodes are measured as rate[5m] every 15 s. Each pod goes to the node with the
// lowest predicted load. The final load of each node is known, and the prediction should stay near it all the time.
class Burst {
 public:
  Burst() {
    for (std::size_t i = 0; i < kNodes; ++i) {
      cluster_.upsert_node(node("n" + std::to_string(i)).cpu("16").memory("64Gi"));
    }
  }

  void measure(WallTime now) {
    Reading reading;
    for (std::size_t i = 0; i < kNodes; ++i) {
      double seen = kBackground;
      for (const auto& [share, at] : pods_[i]) {
        seen += share * std::clamp(std::chrono::duration<double>(now - at) / minutes{5}, 0.0, 1.0);
      }
      reading.samples.push_back({.node = "n" + std::to_string(i), .value = seen, .at = now});
    }
    tracker_.take(reading, "prometheus", now);
    tracker_.look(now);
  }
  void place(int number, WallTime now) {
    const std::string name = "p" + std::to_string(number);
    const auto compiled_spec =
        cluster_.compiled_spec_of(pod(name).requests(std::to_string(100 + 400 * (number % 3)) + "m", "1Gi"));
    NodeIndex least{0};
    for (NodeIndex i{1}; i < kNodes; ++i) {
      if (predicted(i) < predicted(least)) least = i;
    }
    tracker_.placed(name, least, *compiled_spec->requirements, now);
    pods_[least].emplace_back(cluster::estimated_loads(compiled_spec->requirements->requests,
                                                       cluster_.node(least).node->allocatable)[kCpuLoad],
                              now);
  }
  double predicted(NodeIndex i) const { return cluster_.node(i).load.predicted(kCpuLoad); }
  double final_load(NodeIndex i) const {
    double sum = kBackground;
    for (const auto& [share, at] : pods_[i]) sum += share;
    return sum;
  }
  void expect_near_final_load() const {
    for (NodeIndex i{0}; i < kNodes; ++i) EXPECT_NEAR(predicted(i), final_load(i), 0.03) << i;
  }
  double worst_over_mean() const {
    double most = 0.0;
    double sum = 0.0;
    for (NodeIndex i{0}; i < kNodes; ++i) {
      most = std::max(most, final_load(i));
      sum += final_load(i);
    }
    return most * kNodes / sum;
  }

 private:
  static constexpr std::size_t kNodes = 20;
  static constexpr double kBackground = 0.1;
  cluster::Cluster cluster_;
  LoadTracker tracker_{LoadTrackerSettings{}, cluster_};
  std::array<std::vector<std::pair<double, WallTime>>, kNodes> pods_;
};

TEST(LoadTrackerBurst, TwoHundredPodsBetweenTwoSamplesAreSpreadOverTheNodes) {
  Burst burst;
  burst.measure(kStart);
  for (int i = 0; i < 200; ++i) burst.place(i, kStart + std::chrono::milliseconds{i});
  burst.expect_near_final_load();
  EXPECT_LE(burst.worst_over_mean(), 1.15);
}

TEST(LoadTrackerBurst, ThePredictionStaysNearTheFinalLoadWhileTheSamplesCatchUp) {
  Burst burst;
  int number = 0;
  for (int second = 0; second < 1800; second += 15) {
    burst.measure(kStart + seconds{second});
    burst.expect_near_final_load();
    for (int i = 0; i < 5 && second < 600; ++i) burst.place(number++, kStart + seconds{second + i});
  }
  EXPECT_LE(burst.worst_over_mean(), 1.15);
}

}  // namespace
}  // namespace rescheduler::usage
