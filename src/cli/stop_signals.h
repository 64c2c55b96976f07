// Waits for SIGINT, SIGTERM and SIGHUP, so that a command can end in an orderly way.
#pragma once

#include <chrono>
#include <csignal>

namespace rescheduler::cli {

// Create it before any other thread, because threads inherit the signal mask.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool wait_for(std::chrono::milliseconds timeout);  // true: a signal arrived
  void wait();                                       // until a signal arrives
  static void wake();                                // any thread: has the effect of a signal

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

}  // namespace rescheduler::cli
