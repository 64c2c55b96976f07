// An event loop without a thread: whoever owns it makes it go, step by step. For virtual time, where coroutines run
// until all of them wait and only then the clock moves.
//
// Belongs to the thread that steps it.
#pragma once

#include <cstddef>
#include <memory>

#include "net/task.h"

namespace rescheduler::net {

class StepLoop {
 public:
  StepLoop();
  ~StepLoop();  // coroutines that still wait are thrown away
  StepLoop(const StepLoop&) = delete;
  StepLoop& operator=(const StepLoop&) = delete;

  Executor executor() const;
  // Runs what is ready, and what that makes ready, until everything waits. How many steps that took.
  std::size_t poll();
  // Runs one step, waiting for the network if nothing is ready.
  void run_one();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace rescheduler::net
