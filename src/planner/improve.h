// improve(problem) -> a better place for some of the processes, found by an anytime search over moves, swaps and
// chains. The same problem, seed and bound on steps give the same answer; a bound on time cuts it where it happens to
// be. One thread; more of them are the caller's business (searches with different seeds, `start` for what they
// exchange).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "planner/feasibility_oracle.h"
#include "planner/problem.h"

namespace rescheduler::planner {

struct SearchLimits {
  const Clock* clock = nullptr;  // only for `time`
  std::optional<std::chrono::nanoseconds> time{};
  std::uint64_t most_steps = ~std::uint64_t{0};  // candidates evaluated; the deterministic bound
  std::size_t most_moves = ~std::size_t{0};      // processes that end on another machine
  std::uint64_t seed = 1;
  // Go on after no single move and no swap helps, by annealing, until time or steps are used up. Needs one of the two
  // bounds; not with a referee, who would have to be asked about every step.
  bool thorough = false;
  // Where to begin, by process, instead of the problem's own assignment; obeys the rules. Not with a referee. A
  // thorough search goes on from there and does not begin hot.
  std::vector<Machine> start{};
};

// A target that was better by cost and was not taken.
struct RefusedTarget {
  Machine machine = kNoMachine;
  Cost gain = 0;  // what it would have brought
};

struct Move {
  Process process = 0;
  Machine from = kNoMachine;
  Machine to = kNoMachine;
  Cost gain = 0;                         // what is lost if this move alone is left out, its price included
  std::vector<RefusedTarget> refused{};  // by the referee, the best few
};

struct Solution {
  std::vector<Machine> where{};  // by process
  std::vector<Move> moves{};     // those that differ from the problem, the largest gain first
  Cost before = 0;
  Cost after = 0;
  std::optional<Cost> bound{};  // no solution costs less
  std::uint64_t steps = 0;
};

// The problem's own assignment obeys its hard rules, or breaks them less after each move: what is broken at the start
// (an overfull machine) may stay broken, never become worse. The referee knows the problem's own assignment when this
// is called, follows every step, and is led back there before it returns.
Solution improve(const Problem& problem, const SearchLimits& limits, FeasibilityOracle* oracle = nullptr);

// What an assignment costs, computed from nothing; and the first hard rule it breaks, in a sentence.
Cost cost_of(const Problem& problem, const std::vector<Machine>& where);
std::optional<std::string> broken_rule(const Problem& problem, const std::vector<Machine>& where);

}  // namespace rescheduler::planner
