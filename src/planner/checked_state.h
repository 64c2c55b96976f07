// A State and the Referee who watches it: every step is done on both, so that the referee knows at each moment where
// everybody is, also while a step is taken back.
#pragma once

#include <span>
#include <vector>

#include "planner/feasibility_oracle.h"
#include "planner/improve.h"
#include "planner/state.h"

namespace rescheduler::planner {

class CheckedState {
 public:
  CheckedState(State& state, FeasibilityOracle* oracle)
      : state_(state), oracle_(oracle), refused_(oracle ? state.where().size() : 0) {}

  State& state() { return state_; }
  const State& state() const { return state_; }
  bool watched() const { return oracle_ != nullptr; }

  void unassign(Process process);
  void put(Process process, Machine machine);
  // The process is lifted: do the rules and the referee let it be put down there?
  bool may_put(Process process, Machine from, Machine to);

  // Done, or refused and everything as it was. `gain`: what it would bring, for the record of what was refused.
  bool try_shift(Process process, Machine to, Cost gain);
  // Several at once: all are lifted before the first is put down, the last one first. Steps must name different
  // processes.
  struct Step {
    Process process = 0;
    Machine to = kNoMachine;
  };
  bool try_together(std::span<const Step> steps);

  // Everybody goes back; the referee ends as it began.
  void go_home();

  // The best few targets that the referee refused this process.
  std::vector<RefusedTarget> refused(Process process) const;

 private:
  static constexpr std::size_t kRefusedKept = 3;

  void remember(Process process, Machine machine, Cost gain);

  State& state_;
  FeasibilityOracle* oracle_;
  std::vector<std::vector<RefusedTarget>> refused_;
};

}  // namespace rescheduler::planner
