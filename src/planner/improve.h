// improve(problem) returns an assignment of lower cost, or the same one, found by an anytime search over moves, swaps
// and chains. The result is deterministic for a problem, seed and step limit; a time limit stops the search at an
// arbitrary point. One thread. A caller can run several seeds in parallel and exchange results with `start`.
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
  std::uint64_t most_steps = ~std::uint64_t{0};  // candidates evaluated; the deterministic limit
  std::size_t most_moves = ~std::size_t{0};      // processes that end on another machine
  std::uint64_t seed = 1;
  // Search by annealing until time or steps are used up, instead of stopping when no single move and no swap helps.
  // Needs one of the two limits. Not with an oracle, which would have to check every step.
  bool thorough = false;
  // Initial machine by process, instead of the problem's own assignment; must obey the rules. Not with an oracle. A
  // thorough search continues from there without a hot walk.
  std::vector<Machine> start{};
};

// A target with a lower cost that was refused.
struct RefusedTarget {
  Machine machine = kNoMachine;
  Cost gain = 0;  // the cost that it would have saved
};

struct Move {
  Process process = 0;
  Machine from = kNoMachine;
  Machine to = kNoMachine;
  Cost gain = 0;                         // how much the cost rises without this move; its price is deducted
  std::vector<RefusedTarget> refused{};  // by the oracle, the best few
};

struct Solution {
  std::vector<Machine> where{};  // by process
  std::vector<Move> moves{};     // differences from the problem's assignment, the largest gain first
  Cost before = 0;
  Cost after = 0;
  std::optional<Cost> bound{};  // no solution costs less
  std::uint64_t steps = 0;
};

// The problem's own assignment should obey its hard rules. A rule that is broken at the start (an overfull machine) may
// stay broken but never becomes worse. The oracle must know the problem's assignment at the call. It follows every step
// and is back at that assignment on return.
Solution improve(const Problem& problem, const SearchLimits& limits, FeasibilityOracle* oracle = nullptr);

// Computes the cost of an assignment from scratch; and the first broken hard rule, as a sentence.
Cost cost_of(const Problem& problem, const std::vector<Machine>& where);
std::optional<std::string> broken_rule(const Problem& problem, const std::vector<Machine>& where);

}  // namespace rescheduler::planner
