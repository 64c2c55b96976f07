#include "race.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <thread>
#include <vector>

namespace rescheduler::roadef {

namespace {

// Shares of the time. In the first part each search runs alone, from hot to cold. In the second part all continue from
// the best solution.
constexpr std::array kParts{0.8, 0.2};

// Steady time is the CPU time of the calling thread.
class ProcessorClock final : public Clock {
 public:
  WallTime wall_now() const override { return {}; }
  SteadyTime steady_now() const override {
    std::timespec spent{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
    return SteadyTime{std::chrono::seconds{spent.tv_sec} + std::chrono::nanoseconds{spent.tv_nsec}};
  }
};

}  // namespace

planner::Solution race(const planner::Problem& problem, const Race& race) {
  const SystemClock wall;
  const ProcessorClock processor;
  planner::Solution best;
  planner::SearchLimits limits;
  limits.clock = race.time_of == TimeOf::kWall ? static_cast<const Clock*>(&wall) : &processor;
  limits.thorough = true;
  std::uint64_t seed = race.seed;
  for (const double part : kParts) {
    limits.time = std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(race.time.count()) * part));
    if (race.steps != kUnbounded) {
      limits.most_steps = static_cast<std::uint64_t>(static_cast<double>(race.steps) * part);
    }
    std::vector<planner::Solution> found(race.threads);
    std::vector<std::thread> threads;
    for (planner::Solution& one : found) {
      planner::SearchLimits own = limits;
      own.seed = seed++;
      threads.emplace_back([&problem, &one, own] { one = planner::improve(problem, own); });
    }
    for (std::thread& thread : threads) thread.join();
    std::uint64_t steps = best.steps;
    for (planner::Solution& one : found) {
      steps += one.steps;
      if (best.where.empty() || one.after < best.after) best = std::move(one);
    }
    best.steps = steps;
    limits.start = best.where;
  }
  return best;
}

}  // namespace rescheduler::roadef
