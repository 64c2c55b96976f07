// A sleep that wake() can end early. The given timers measure the time. All calls on one loop thread.
#pragma once

#include <chrono>
#include <memory>

#include "net/event_loop.h"
#include "net/waiter.h"

namespace rescheduler::migration {

class Wakeable {
 public:
  Wakeable(net::Executor executor, net::Timers& timers)
      : state_(std::make_shared<State>(std::move(executor), timers)) {}

  void wake() const {
    state_->woken = true;
    if (state_->waiter) state_->waiter->wake();
  }
  // Sleeps at least `least` and at most `most`; after a wake() no longer than `least`. False: cancelled.
  net::Task<bool> sleep(std::chrono::nanoseconds least, std::chrono::nanoseconds most);

 private:
  struct State {
    State(net::Executor the_executor, net::Timers& the_timers)
        : executor(std::move(the_executor)), timers(the_timers) {}
    net::Executor executor;
    net::Timers& timers;
    std::shared_ptr<net::Waiter> waiter{};
    bool woken = false;
  };
  static net::Task<void> ring(net::Timers& timers, std::chrono::nanoseconds after, std::shared_ptr<net::Waiter> waiter);

  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::migration
