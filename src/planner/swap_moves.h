// Steps for when no single move helps: a swap of two processes, or a chain in which one process replaces another that
// moves to a third machine.
#pragma once

#include <span>
#include <vector>

#include "planner/budget.h"
#include "planner/checked_state.h"

namespace rescheduler::planner {

class SwapMoves {
 public:
  SwapMoves(CheckedState& checked, Budget& budget) : checked_(checked), state_(checked.state()), budget_(budget) {}

  // Does the best step that relieves the source, if the oracle agrees. Returns the changed machines; empty: none helps.
  std::vector<Machine> swap(Machine source, std::span<const Machine> targets);
  std::vector<Machine> chain(Machine source, std::span<const Machine> targets);

 private:
  struct Found {
    Cost gain = 0;
    Process one = 0;
    Process other = 0;
    Machine last = kNoMachine;  // new machine of `other`
  };

  void weigh_chains(Process one, Process other, std::span<const Machine> targets, std::vector<Found>& found);
  std::vector<Machine> commit(std::vector<Found>& found);

  CheckedState& checked_;
  State& state_;
  Budget& budget_;
};

}  // namespace rescheduler::planner
