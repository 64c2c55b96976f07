// Rules that the arrays of Problem cannot express: whether a process can run on a machine, given all other processes.
#pragma once

#include "planner/problem.h"

namespace rescheduler::planner {

// Follows a search step by step: at every moment it knows the machine of each process.
class FeasibilityOracle {
 public:
  virtual ~FeasibilityOracle() = default;
  // The process is unassigned. True if it can be assigned to the machine.
  virtual bool allows(Process process, Machine machine) = 0;
  virtual void unassigned(Process process, Machine from) = 0;
  virtual void assigned(Process process, Machine on) = 0;
};

}  // namespace rescheduler::planner
