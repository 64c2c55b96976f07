// Checks whether moves helped. It compares the predicted with the measured reduction on the source nodes, when the
// moves of a plan have ended and their effect had time to show. A strategy whose moves do not help backs off, each time
// for twice as long.
//
// Loads are differences from the mean of all nodes, so that a change of the total load does not count. Pure: no I/O.
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

// Percentage points: predicted and measured on the source nodes of a plan.
struct Effect {
  std::string plan{};
  config::Strategy strategy{};
  double predicted = 0;
  double measured = 0;
  bool helped = false;
};

class EffectTracker {
 public:
  // Smoothed samples need this long to show that load is gone (half-life five minutes: three quarters of it).
  static constexpr std::chrono::minutes kSettle{10};
  // A smaller prediction is noise. kEnough is the share of the prediction that counts as help.
  static constexpr double kLeastPredicted = 3;
  static constexpr double kEnough = 0.3;
  static constexpr int kMostDoublings = 5;

  explicit EffectTracker(std::chrono::nanoseconds rest) : rest_(rest) {}

  // Watches only moves of LoadBalancing, because only these predict a change of load.
  void begun(const Plan& plan);
  void ended(const std::string& plan, const std::string& source, bool moved, WallTime at);
  // Compares the plans that are due now, each plan once.
  std::vector<Effect> look(const BalanceReport& now, WallTime at);

  const std::map<config::Strategy, WallTime>& backing_off() const { return until_; }
  // The strategies that back off and their failures in a row, for the next leader. Times are kept in whole seconds.
  std::string to_json() const;
  // Ignores entries that cannot be parsed: to forget a backoff does no harm.
  void restore(std::string_view json);

 private:
  struct Prediction {
    double before = 0;     // points above the mean
    double predicted = 0;  // predicted reduction
    int planned = 0;       // number of moves
    int moved = 0;
  };
  struct Watched {
    config::Strategy strategy{};
    std::map<std::string, Prediction> nodes{};  // the source nodes
    WallTime last{};
    bool any_ended = false;
  };

  std::chrono::nanoseconds rest_;
  std::map<std::string, Watched> plans_;
  std::map<config::Strategy, int> failures_;  // in a row
  std::map<config::Strategy, WallTime> until_;
};

}  // namespace rescheduler::rescheduling
