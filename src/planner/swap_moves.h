// What to do where no single move helps: two processes change places, or one takes the place of another who goes on to
// a third machine.
#pragma once

#include <span>
#include <vector>

#include "planner/budget.h"
#include "planner/checked_state.h"

namespace rescheduler::planner {

class SwapMoves {
 public:
  SwapMoves(CheckedState& checked, Budget& budget) : checked_(checked), state_(checked.state()), budget_(budget) {}

  // The best one that takes something off the source; done if the referee agrees. The machines that have changed: none
  // if nothing helps.
  std::vector<Machine> swap(Machine source, std::span<const Machine> targets);
  std::vector<Machine> chain(Machine source, std::span<const Machine> targets);

 private:
  struct Found {
    Cost gain = 0;
    Process one = 0;
    Process other = 0;
    Machine last = kNoMachine;  // where the other goes
  };

  void weigh_chains(Process one, Process other, std::span<const Machine> targets, std::vector<Found>& found);
  std::vector<Machine> commit(std::vector<Found>& found);

  CheckedState& checked_;
  State& state_;
  Budget& budget_;
};

}  // namespace rescheduler::planner
