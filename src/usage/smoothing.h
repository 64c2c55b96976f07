// One number out of a node's samples over time, so that a moment's peak does not turn a decision.
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
  // A sample that is not newer than the newest one is one that is known already, or has been overtaken.
  void add(double value, WallTime at, const SmoothingSettings& how);
  bool empty() const { return !newest_; }
  double value() const { return value_; }  // meaningless while empty
  std::optional<WallTime> newest() const { return newest_; }

 private:
  double value_ = 0.0;
  std::optional<WallTime> newest_{};
  std::vector<std::pair<WallTime, double>> kept_{};  // for the percentile
};

// How much a load moves about: the standard deviation of its samples, the older ones counting less (after half an hour
// half as much). A node that is quiet can be filled further than one that jumps.
class Volatility {
 public:
  void add(double value, WallTime at);
  double deviation() const;

 private:
  double mean_ = 0.0;
  double variance_ = 0.0;
  std::optional<WallTime> newest_{};
};

// The share of a load that began `age` before the newest sample and is *not* in the smoothed value yet, when a sample
// is itself a mean over the `averaged` time before it (rate[5m]). From 1 to 0, never growing with age.
//
// A mean over W sees a step rise along a straight line, over W. An exponential mean with time constant T (half-life /
// ln 2) follows that line behind by T, once settled; a percentile p over a window V by (1 - p) V.
double unseen(std::chrono::nanoseconds age, std::chrono::nanoseconds averaged, const SmoothingSettings& how);

// The age from which on less than a hundredth is unseen.
std::chrono::nanoseconds time_to_be_seen(std::chrono::nanoseconds averaged, const SmoothingSettings& how);

}  // namespace rescheduler::usage
