#include "scheduler/node_sample.h"

#include <gtest/gtest.h>

namespace rescheduler::scheduler {
namespace {

struct Sample {
  std::size_t nodes;
  int percentage;
  std::size_t found;
};

// The first six rows come from kube-scheduler's test of numFeasibleNodesToFind.
TEST(NodesToFind, ReturnsTheSameNumberAsKubeScheduler) {
  constexpr Sample kSamples[] = {
      {10, 0, 10},    {10, 40, 10},   {1000, 0, 420},     {1000, 40, 400},   {6000, 0, 300},    {6000, 40, 2400},
      {99, 1, 99},    {100, 1, 100},  {101, 0, 100},      {250, 0, 120},     {250, 30, 100},    {5624, 0, 337},
      {5625, 0, 281}, {5000, 0, 500}, {100'000, 0, 5000}, {1000, 100, 1000}, {1000, 200, 1000},
  };
  for (const Sample& sample : kSamples) {
    EXPECT_EQ(nodes_to_find(sample.nodes, sample.percentage), sample.found)
        << sample.nodes << " nodes, " << sample.percentage << " %";
  }
}

TEST(NodesToFind, ReturnsAtLeast100NodesOrAllNodesOfASmallerClusterAndNeverMoreThanAll) {
  for (std::size_t nodes = 1; nodes < 20'000; nodes += 7) {
    for (const int percentage : {0, 1, 5, 50, 99, 100}) {
      const std::size_t found = nodes_to_find(nodes, percentage);
      EXPECT_LE(found, nodes);
      EXPECT_GE(found, std::min<std::size_t>(nodes, 100));
    }
  }
}

}  // namespace
}  // namespace rescheduler::scheduler
