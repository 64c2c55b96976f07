#include "race.h"

#include <algorithm>
#include <ctime>
#include <thread>
#include <vector>

namespace rescheduler::roadef {

namespace {

// The first part of the time goes into one long search each, which is what annealing needs; the rest into shorter ones
// from the best so far.
constexpr double kParts[] = {1.0};

// Steady time is what the calling thread has spent on a processor.
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
  limits.most_steps = race.steps;
  std::uint64_t seed = race.seed;
  for (const double part : kParts) {
    limits.time = std::chrono::nanoseconds(static_cast<std::int64_t>(static_cast<double>(race.time.count()) * part));
    std::vector<planner::Solution> found(race.threads);
    std::vector<std::thread> threads;
    for (planner::Solution& one : found) {
      planner::SearchLimits own = limits;
      own.seed = seed++;
      threads.emplace_back([&problem, &one, own] { one = planner::improve(problem, own); });
    }
    for (std::thread& thread : threads) thread.join();
    for (planner::Solution& one : found) {
      if (best.where.empty() || one.after < best.after) best = std::move(one);
    }
    limits.start = best.where;
  }
  return best;
}

}  // namespace rescheduler::roadef
