#include "migration/wakeable.h"

namespace rescheduler::migration {

net::Task<void> Wakeable::ring(net::Timers& timers,
                               std::chrono::nanoseconds after,
                               std::shared_ptr<net::Waiter> waiter) {
  const auto slept = co_await timers.sleep_for(after);
  if (slept) waiter->wake();
}

net::Task<bool> Wakeable::sleep(std::chrono::nanoseconds least, std::chrono::nanoseconds most) {
  const std::shared_ptr<State> state = state_;
  const auto first = co_await state->timers.sleep_for(least);
  if (!first) co_return false;
  if (state->woken || most <= least) {
    state->woken = false;
    co_return true;
  }
  state->waiter = std::make_shared<net::Waiter>(state->executor);
  net::Job alarm = net::spawn(state->executor, "alarm", ring(state->timers, most - least, state->waiter));
  const auto waited = co_await state->waiter->wait(net::kNoDeadline);
  alarm.cancel();
  state->waiter.reset();
  state->woken = false;
  co_return waited.has_value();
}

}  // namespace rescheduler::migration
