// An event loop without a thread: its owner runs it step by step. For virtual time: the coroutines run until all of
// them wait, and only then the clock advances.
//
// Belongs to the thread that calls poll() or run_one().
#pragma once

#include <cstddef>
#include <memory>

#include "net/task.h"

namespace rescheduler::net {

class StepLoop {
 public:
  StepLoop();
  ~StepLoop();  // destroys coroutines that still wait
  StepLoop(const StepLoop&) = delete;
  StepLoop& operator=(const StepLoop&) = delete;

  Executor executor() const;
  // Runs all ready coroutines, and those that become ready meanwhile, until all of them wait. Returns the number of
  // steps.
  std::size_t poll();
  // Runs one step; waits for the network if nothing is ready.
  void run_one();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rescheduler::net
