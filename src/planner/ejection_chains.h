// Makes space for a process on a better machine. The process is assigned there even without room. Then the machine
// ejects other processes until it is not overfull, each to its best target. A walk of small steps does not find such a
// change: one large process exchanged for several small ones.
#pragma once

#include <vector>

#include "planner/budget.h"
#include "planner/penalty_weights.h"
#include "planner/state.h"

namespace rescheduler::planner {

class EjectionChains {
 public:
  // `high_penalty`: a penalty above any gain that an average process can get by breaking a rule.
  EjectionChains(State& state, Budget& budget, double high_penalty);

  // Runs until no chain helps.
  void run();

 private:
  struct Step {
    Process process = 0;
    Machine from = kNoMachine;
  };

  std::vector<Process> candidates() const;
  bool make_place(Process process);
  // Does the chain if it lowers the cost; otherwise restores everything.
  bool try_there(Process process, Machine machine);
  bool eject_one(Machine machine, Process not_this);
  void step(Process process, Machine to);  // recorded, so that it can be undone
  void shift(Process process, Machine to);

  State& state_;
  Budget& budget_;
  PenaltyWeights penalties_;
  double high_penalty_;
  std::vector<Step> done_;
};

}  // namespace rescheduler::planner
