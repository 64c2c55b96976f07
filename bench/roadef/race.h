// Several searches side by side, each in its own thread; every so often all of them go on from where the best one is.
#pragma once

#include <chrono>
#include <cstdint>

#include "planner/improve.h"

namespace rescheduler::roadef {

struct Race {
  std::chrono::nanoseconds time{};
  std::uint64_t steps = ~std::uint64_t{0};  // a bound that is the same on every machine
  unsigned threads = 1;
  std::uint64_t seed = 1;
};

planner::Solution race(const planner::Problem& problem, const Race& race);

}  // namespace rescheduler::roadef
