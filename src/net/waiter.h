// Lets one coroutine wait until wake() is called, its deadline passes or its job is cancelled.
//
// Belongs to one loop thread. A wake() before the wait counts. A Waiter without a waiting coroutine can be destroyed at
// any time.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "net/task.h"

namespace rescheduler::net {

inline constexpr SteadyTime kNoDeadline = SteadyTime::max();

// Now plus `duration`, without overflow for very long durations.
SteadyTime deadline_after(std::chrono::nanoseconds duration);

// The error that every awaited operation returns after its job was cancelled.
Unexpected cancelled();

class Waiter {
 public:
  explicit Waiter(const Executor& executor);
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void wake();
  bool woken() const { return woken_; }

  // Errc::Timeout when the deadline passed before wake(). Errc::Cancelled has precedence over a wake().
  Task<Result<void>> wait(SteadyTime deadline);

 private:
  struct Timer;
  std::unique_ptr<Timer> timer_;
  bool woken_ = false;
};

}  // namespace rescheduler::net
