// Several searches in parallel, each in its own thread. After most of the time, all continue from the best solution.
#pragma once

#include <chrono>
#include <cstdint>

#include "planner/improve.h"

namespace rescheduler::roadef {

// The time of a race: wall time, as in the challenge, or the CPU time of each search, which does not depend on other
// load of the machine.
enum class TimeOf { kWall, kProcessor };

inline constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

struct Race {
  std::chrono::nanoseconds time{};
  TimeOf time_of = TimeOf::kWall;
  std::uint64_t steps = kUnbounded;  // of each search: a bound that is equal on every machine
  unsigned threads = 1;
  std::uint64_t seed = 1;
};

planner::Solution race(const planner::Problem& problem, const Race& race);

}  // namespace rescheduler::roadef
