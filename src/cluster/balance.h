// How evenly the nodes are loaded: one score for people to watch, and its parts.
//
//   deviation   of a resource: the standard deviation of the nodes' load, in percentage points
//   score       100 - 2 x (cpu weight x cpu deviation + memory weight x memory deviation), from 0 to 100;
//               the weights are shares of their sum
//
// A score of 100 means that all nodes are equally loaded. A deviation cannot exceed 50 points while no node is above
// 100 %. If half of the nodes are full and half are empty, the score is 0. The caller chooses the nodes: the nodes
// whose load is known and can be changed.
#pragma once

#include <span>

#include "cluster/node_load.h"

namespace rescheduler::cluster {

// Of one resource, as shares. NaN (unknown) if there are no nodes.
struct LoadSpread {
  double mean = kUnknownLoad;
  double deviation = kUnknownLoad;
  double max = kUnknownLoad;
};
// Ignores unknown loads.
LoadSpread spread_of(std::span<const double> loads);

// The plugin's cpuScoreWeight and memoryScoreWeight. Only their ratio matters.
struct BalanceWeights {
  double cpu = 0.6;
  double memory = 0.4;
};

struct Balance {
  double score = kUnknownLoad;
  double cpu_deviation = kUnknownLoad;  // percentage points between nodes
  double memory_deviation = kUnknownLoad;
  double cpu_max = kUnknownLoad;  // percent: of the busiest node
  double memory_max = kUnknownLoad;

  bool known() const;
};

// Of both resources, in percentage points.
double weighted_deviation(const LoadSpread& cpu, const LoadSpread& memory, BalanceWeights weights);
// The points of the score that this deviation costs, or that a reduction by this deviation gains. Not clamped, so that
// reductions can be compared even while the score is 0.
constexpr double score_points(double deviation) { return 2 * deviation; }

Balance balance_of(const LoadSpread& cpu, const LoadSpread& memory, BalanceWeights weights);

}  // namespace rescheduler::cluster
