// Limits a search by evaluated candidates and, if there is a clock, by time. The clock is read rarely.
#pragma once

#include <algorithm>
#include <cstdint>

#include "planner/improve.h"

namespace rescheduler::planner {

class Budget {
 public:
  explicit Budget(const SearchLimits& limits) : limits_(limits) {
    if (limits_.clock != nullptr && limits_.time) began_ = limits_.clock->steady_now();
  }

  void count(std::uint64_t candidates) { steps_ += candidates; }
  std::uint64_t steps() const { return steps_; }

  bool spent() {
    if (over_ || steps_ >= limits_.most_steps) return over_ = true;
    if (steps_ < next_look_ || !timed()) return false;
    next_look_ = steps_ + kBetweenLooks;
    return over_ = elapsed() >= *limits_.time;
  }

  // The used share of the budget, 0 to 1; 0 without a limit.
  double used() const {
    double part = 0.0;
    if (limits_.most_steps != ~std::uint64_t{0}) {
      part = static_cast<double>(steps_) / static_cast<double>(limits_.most_steps);
    }
    if (timed())
      part = std::max(part, static_cast<double>(elapsed().count()) / static_cast<double>(limits_.time->count()));
    return std::min(part, 1.0);
  }
  bool bounded() const { return timed() || limits_.most_steps != ~std::uint64_t{0}; }

 private:
  // A candidate takes about 20 ns, and so does reading the clock.
  static constexpr std::uint64_t kBetweenLooks = 2'000;

  bool timed() const { return limits_.clock != nullptr && limits_.time.has_value(); }
  std::chrono::nanoseconds elapsed() const { return limits_.clock->steady_now() - began_; }

  const SearchLimits& limits_;
  SteadyTime began_{};
  std::uint64_t steps_ = 0;
  std::uint64_t next_look_ = 0;
  bool over_ = false;
};

}  // namespace rescheduler::planner
