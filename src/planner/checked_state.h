// A State with its FeasibilityOracle: every step is done on both, so that the oracle always knows the current
// assignment, even while a step is undone.
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
  // The process is unassigned. True if the rules and the oracle allow it on `to`.
  bool may_put(Process process, Machine from, Machine to);

  // Does the step, or refuses it and restores everything. `gain`: the saved cost, recorded if the oracle refuses.
  bool try_shift(Process process, Machine to, Cost gain);
  // Several steps at once: all processes are unassigned first, then assigned in reverse order. The steps must name
  // different processes.
  struct Step {
    Process process = 0;
    Machine to = kNoMachine;
  };
  bool try_together(std::span<const Step> steps);

  // Returns every process to its home machine; the oracle ends in its initial state.
  void go_home();

  // The best targets that the oracle refused for this process, at most kRefusedKept.
  std::vector<RefusedTarget> refused(Process process) const;

 private:
  static constexpr std::size_t kRefusedKept = 3;

  void remember(Process process, Machine machine, Cost gain);

  State& state_;
  FeasibilityOracle* oracle_;
  std::vector<std::vector<RefusedTarget>> refused_;
};

}  // namespace rescheduler::planner
