#include "cli/stop_signals.h"

#include <cerrno>
#include <ctime>
#include <unistd.h>

#include <pthread.h>

namespace rescheduler::cli {

StopSignals::StopSignals() {
  sigemptyset(&signals_);
  sigaddset(&signals_, SIGINT);
  sigaddset(&signals_, SIGTERM);
  sigaddset(&signals_, SIGHUP);  // the terminal was closed
  pthread_sigmask(SIG_BLOCK, &signals_, &before_);
}

StopSignals::~StopSignals() {
  while (wait_for(std::chrono::milliseconds{0})) {  // a pending signal would kill the process when the mask is restored
  }
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void StopSignals::wait() {
  int received = 0;
  sigwait(&signals_, &received);
}

void StopSignals::wake() { kill(getpid(), SIGTERM); }

bool StopSignals::wait_for(std::chrono::milliseconds timeout) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(timeout);
  timespec limit{};
  limit.tv_sec = seconds.count();
  limit.tv_nsec = std::chrono::nanoseconds(timeout - seconds).count();
  // Not positive: timeout, or interrupted by a debugger; the caller repeats.
  return sigtimedwait(&signals_, nullptr, &limit) > 0;
}

}  // namespace rescheduler::cli
