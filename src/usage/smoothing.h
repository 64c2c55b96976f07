// Smooths the samples of a node over time to one number, so that a short peak does not change a decision.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "cluster/load_settings.h"

namespace rescheduler::usage {

using Smoothing = cluster::SmoothingKind;
using SmoothingSettings = cluster::Smoothing;

class Smoother {
 public:
  // Ignores a sample that is not newer than the newest one.
  void add(double value, WallTime at, const SmoothingSettings& how);
  bool empty() const { return !newest_; }
  double value() const { return value_; }  // undefined while empty
  std::optional<WallTime> newest() const { return newest_; }

 private:
  double value_ = 0.0;
  std::optional<WallTime> newest_{};
  std::vector<std::pair<WallTime, double>> kept_{};  // for the percentile
};

// How much a load varies: the standard deviation of its samples. Older samples count less (half as much after 30
// minutes). A node with a steady load can be filled further than one with a varying load.
class Volatility {
 public:
  void add(double value, WallTime at);
  double deviation() const;

 private:
  double mean_ = 0.0;
  double variance_ = 0.0;
  std::optional<WallTime> newest_{};
};

// The share of a load that is *not* in the smoothed value yet, if the load began `age` before the newest sample. Each
// sample is itself a mean over the `averaged` time before it (rate[5m]). The result goes from 1 to 0 and never grows
// with age.
//
// A mean over W shows a step as a line that rises over W. An exponential mean with time constant T (half-life / ln 2)
// follows this line with a delay of T once settled. A percentile p over a window V follows it with a delay of (1 - p)
// V.
double unseen(std::chrono::nanoseconds age, std::chrono::nanoseconds averaged, const SmoothingSettings& how);

// The age from which less than a hundredth is missing.
std::chrono::nanoseconds time_to_be_seen(std::chrono::nanoseconds averaged, const SmoothingSettings& how);

}  // namespace rescheduler::usage
