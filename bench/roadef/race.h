// Several searches side by side, each in its own thread; every so often all of them go on from where the best one is.
#pragma once

#include <chrono>
#include <cstdint>

#include "planner/improve.h"

namespace rescheduler::roadef {

// What the time of a race is: of the wall, as the challenge measured it; or what each search has spent on a processor,
// which does not depend on what else the machine is doing.
enum class TimeOf { kWall, kProcessor };

inline constexpr std::uint64_t kUnbounded = ~std::uint64_t{0};

struct Race {
  std::chrono::nanoseconds time{};
  TimeOf time_of = TimeOf::kWall;
  std::uint64_t steps = kUnbounded;  // of each search: a bound that is the same on every machine
  unsigned threads = 1;
  std::uint64_t seed = 1;
};

planner::Solution race(const planner::Problem& problem, const Race& race);

}  // namespace rescheduler::roadef
