// Did it help? After a plan's moves are over and their effect had time to show, what they were to take off the nodes
// they left is compared with what they did. A strategy that does not help rests, each time twice as long.
//
// Loads are taken as differences from the mean of all nodes: that the whole cluster got busier meanwhile is nobody's
// fault. Pure.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "config/rescheduling_settings.h"
#include "rescheduling/planning/plan.h"

namespace rescheduler::rescheduling {

// Percentage points; what is expected of, and seen on, the nodes that a plan's moves left.
struct Effect {
  std::string plan{};
  config::Strategy strategy{};
  double predicted = 0;
  double measured = 0;
  bool helped = false;
};

class EffectTracker {
 public:
  // Smoothed samples need so long to show that something is gone (half-life five minutes: three quarters of it).
  static constexpr std::chrono::minutes kSettle{10};
  // Below, the prediction is noise; and so much of it is enough.
  static constexpr double kLeastPredicted = 3;
  static constexpr double kEnough = 0.3;
  static constexpr int kMostDoublings = 5;

  explicit EffectTracker(std::chrono::nanoseconds rest) : rest_(rest) {}

  // Only moves that rest on load promise anything that can be seen in it.
  void begun(const Plan& plan);
  void ended(const std::string& plan, const std::string& source, bool moved, WallTime at);
  // Compares what is due now; each plan once.
  std::vector<Effect> look(const BalanceReport& now, WallTime at);

  const std::map<config::Strategy, WallTime>& backing_off() const { return until_; }
  // Who rests and how often in a row it did not help, for whoever leads next. Times are kept in whole seconds.
  std::string to_json() const;
  // What cannot be read is as if it were not there: whoever rests wrongly is no worse off than whoever does not.
  void restore(std::string_view json);

 private:
  struct Prediction {
    double before = 0;     // above the mean
    double predicted = 0;  // off it
    int planned = 0;       // moves
    int moved = 0;
  };
  struct Watched {
    config::Strategy strategy{};
    std::map<std::string, Prediction> nodes{};  // that the moves leave
    WallTime last{};
    bool any_ended = false;
  };

  std::chrono::nanoseconds rest_;
  std::map<std::string, Watched> plans_;
  std::map<config::Strategy, int> failures_;  // in a row
  std::map<config::Strategy, WallTime> until_;
};

}  // namespace rescheduler::rescheduling
