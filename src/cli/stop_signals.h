// SIGINT and SIGTERM as something to wait for, so that a command can end in good order.
#pragma once

#include <chrono>
#include <csignal>

namespace rescheduler::cli {

// Must be made before any other thread is started: they take over who hears the signals.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  bool wait_for(std::chrono::milliseconds patience);  // true: told to stop
  void wait();                                        // until told to stop
  static void wake();                                 // any thread: as if somebody had told it

 private:
  sigset_t heard_{};
  sigset_t before_{};
};

}  // namespace rescheduler::cli
