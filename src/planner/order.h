// In which order moves can really be done: at each step there is room, budgets are kept, the referee agrees. Moves that
// wait for each other in a circle are broken up through a machine with room to spare.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/improve.h"

namespace rescheduler::planner {

struct OrderLimits {
  std::uint32_t at_once = ~std::uint32_t{0};  // moves on their way at a time
  bool room_first = true;                     // a mover takes room on the old machine until its wave is over
  bool detours = true;                        // circles may be broken through a third machine
};

struct Step {
  Process process = 0;
  Machine from = kNoMachine;
  Machine to = kNoMachine;
  std::uint32_t batch = 0;  // steps of one wave may be done together; a wave begins when the one before it is over
  bool detour = false;      // moves on later
};

struct LeftOut {
  Move move{};
  std::string why{};  // one sentence
};

struct Ordered {
  std::vector<Step> steps{};  // by wave
  std::vector<LeftOut> left_out{};
};

// Begins with the problem's own assignment; a referee knows it, follows, and is led back there before this returns.
// Detours are not among `moves`' machines; a process makes one at most. Whoever cannot move stays where it is.
Ordered order_moves(const Problem& problem,
                    const std::vector<Move>& moves,
                    const OrderLimits& limits,
                    FeasibilityOracle* oracle = nullptr);

}  // namespace rescheduler::planner
