// One number out of a node's samples over time, so that a moment's peak does not turn a decision.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

#include "base/clock.h"

namespace rescheduler::usage {

enum class Smoothing : std::uint8_t {
  None,        // the newest sample
  Ewma,        // exponentially weighted mean: what is one half-life older counts half as much
  Percentile,  // of the samples of a window
};

struct SmoothingSettings {
  Smoothing kind = Smoothing::Ewma;
  // With a sample every 15 to 30 s one outlier moves the value by 16 to 29 % of itself, and a load that stays is seen
  // to seven eighths after three minutes: about the time in which a burst of pods has started.
  std::chrono::nanoseconds half_life = std::chrono::seconds{60};
  double percentile = 0.95;
  std::chrono::nanoseconds window = std::chrono::minutes{5};
};

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
  std::deque<std::pair<WallTime, double>> kept_{};  // for the percentile
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
