// Makes place for a process where it would be better off: it is put there whether or not there is room, and those who
// then are one too many leave, the best first, each for the best place it can find. What a walk of small steps does not
// find: a large process that changes places with several small ones.
#pragma once

#include <vector>

#include "planner/budget.h"
#include "planner/penalty_weights.h"
#include "planner/state.h"

namespace rescheduler::planner {

class EjectionChains {
 public:
  // `dear`: more than anything is worth that an average process could bring by breaking a rule.
  EjectionChains(State& state, Budget& budget, double dear);

  // Until none helps.
  void run();

 private:
  struct Step {
    Process process = 0;
    Machine from = kNoMachine;
  };

  std::vector<Process> candidates() const;
  bool make_place(Process process);
  // Done and better than before, or everything as it was.
  bool try_there(Process process, Machine machine);
  bool eject_one(Machine machine, Process not_this);
  void step(Process process, Machine to);  // remembered, so that it can be taken back
  void shift(Process process, Machine to);

  State& state_;
  Budget& budget_;
  PenaltyWeights penalties_;
  double dear_;
  std::vector<Step> done_;
};

}  // namespace rescheduler::planner
