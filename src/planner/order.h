// Orders moves so that they can be carried out: at each step there is room, budgets are kept, and the oracle agrees. A
// cycle of moves that wait for each other is broken by a detour over a third machine with room.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "planner/improve.h"

namespace rescheduler::planner {

struct OrderLimits {
  std::uint32_t at_once = ~std::uint32_t{0};  // moves in progress at the same time
  bool room_first = true;                     // a process uses room on the old machine until its batch is complete
  bool detours = true;                        // cycles may be broken by a third machine
};

struct Step {
  Process process = 0;
  Machine from = kNoMachine;
  Machine to = kNoMachine;
  std::uint32_t batch = 0;  // steps of one batch may run together; a batch starts when the one before it is complete
  bool detour = false;      // to a third machine; the process moves on later
};

struct LeftOut {
  Move move{};
  std::string why{};  // one sentence
};

struct Ordered {
  std::vector<Step> steps{};  // by batch
  std::vector<LeftOut> left_out{};
};

// Starts from the problem's own assignment. The oracle must know this assignment at the call. It follows every step and
// is back at the assignment on return. The machines of detours are not in `moves`; a process makes at most one detour.
// A process that cannot move stays where it is.
Ordered order_moves(const Problem& problem,
                    const std::vector<Move>& moves,
                    const OrderLimits& limits,
                    FeasibilityOracle* oracle = nullptr);

}  // namespace rescheduler::planner
