#include "cli/stop_signals.h"

#include <cerrno>
#include <ctime>
#include <unistd.h>

#include <pthread.h>

namespace rescheduler::cli {

StopSignals::StopSignals() {
  sigemptyset(&heard_);
  sigaddset(&heard_, SIGINT);
  sigaddset(&heard_, SIGTERM);
  sigaddset(&heard_, SIGHUP);  // the terminal was closed
  pthread_sigmask(SIG_BLOCK, &heard_, &before_);
}

StopSignals::~StopSignals() {
  while (wait_for(std::chrono::milliseconds{0})) {  // a second pending signal would kill the process at its end
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::wait() {
  int heard = 0;
  sigwait(&heard_, &heard);
}

void StopSignals::wake() { kill(getpid(), SIGTERM); }

bool StopSignals::wait_for(std::chrono::milliseconds patience) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(patience);
  timespec limit{};
  limit.tv_sec = seconds.count();
  limit.tv_nsec = std::chrono::nanoseconds(patience - seconds).count();
  return sigtimedwait(&heard_, nullptr, &limit) > 0;  // else timeout, or interrupted by a debugger: the caller repeats
}

}  // namespace rescheduler::cli
