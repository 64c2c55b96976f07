// One coroutine's place to wait: until somebody wakes it, its deadline passes or its job is cancelled.
//
// Belongs to one loop thread. A wake() that comes before the wait is remembered. Dropping a Waiter that nobody
// waits on is always fine.
#pragma once

#include <memory>

#include "base/clock.h"
#include "base/error.h"
#include "net/task.h"

namespace rescheduler::net {

inline constexpr SteadyTime kNoDeadline = SteadyTime::max();

// Now, plus a duration that may be absurdly long.
SteadyTime deadline_after(std::chrono::nanoseconds duration);

// What every awaited operation answers once its job was cancelled.
Unexpected cancelled();

class Waiter {
 public:
  explicit Waiter(const Executor& executor);
  ~Waiter();
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  void wake();
  bool woken() const { return woken_; }

  // Errc::Timeout when the deadline passed first; Errc::Cancelled even if woken as well.
  Task<Result<void>> wait(SteadyTime deadline);

 private:
  struct Timer;
  std::unique_ptr<Timer> timer_;
  bool woken_ = false;
};

}  // namespace rescheduler::net
