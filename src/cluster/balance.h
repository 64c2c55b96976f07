// How evenly nodes are loaded: the one number for people to watch, and what it is made of.
//
//   deviation   of a resource: the standard deviation of the nodes' load, in percentage points
//   score       100 - 2 x (cpu weight x cpu deviation + memory weight x memory deviation), from 0 to 100
//
// 100: every node is loaded like every other. A deviation cannot exceed 50 points while no node is above 100 %: half of
// the nodes full and half of them empty is 0. Who asks says which nodes count: those whose load is known and can be
// changed.
#pragma once

#include <span>

#include "cluster/node_load.h"

namespace rescheduler::cluster {

// Of one resource, as shares; unknown (NaN) of no nodes.
struct LoadSpread {
  double mean = kUnknownLoad;
  double deviation = kUnknownLoad;
  double max = kUnknownLoad;
};
// Loads that are unknown are left out.
LoadSpread spread_of(std::span<const double> loads);

// The plugin's cpuScoreWeight and memoryScoreWeight; what counts is their ratio.
struct BalanceWeights {
  double cpu = 0.6;
  double memory = 0.4;
};

struct Balance {
  double score = kUnknownLoad;
  double cpu_deviation = kUnknownLoad;  // percentage points between nodes
  double memory_deviation = kUnknownLoad;
  double cpu_max = kUnknownLoad;  // percent: the busiest node's
  double memory_max = kUnknownLoad;

  bool known() const;
};

// Of both resources together, in percentage points.
double weighted_deviation(const LoadSpread& cpu, const LoadSpread& memory, BalanceWeights weights);
// Points of the score that a lower deviation is worth, also where the score is 0 and could not be lower.
constexpr double score_points(double deviation) { return 2 * deviation; }

Balance balance_of(const LoadSpread& cpu, const LoadSpread& memory, BalanceWeights weights);

}  // namespace rescheduler::cluster
