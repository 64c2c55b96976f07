// What no array can say: whether a process may be on a machine, given where all the others are.
#pragma once

#include "planner/problem.h"

namespace rescheduler::planner {

// Follows a search step by step: at every moment it has been told where each process is.
class FeasibilityOracle {
 public:
  virtual ~FeasibilityOracle() = default;
  // The process has been lifted off its machine. May it be put down there?
  virtual bool allows(Process process, Machine machine) = 0;
  virtual void unassigned(Process process, Machine from) = 0;
  virtual void assigned(Process process, Machine on) = 0;
};

}  // namespace rescheduler::planner
