#include "net/waiter.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/cancellation.h"

namespace rescheduler::net {

namespace asio = boost::asio;

SteadyTime deadline_after(std::chrono::nanoseconds duration) {
  const SteadyTime now = std::chrono::steady_clock::now();
  return duration < kNoDeadline - now ? now + duration : kNoDeadline;
}

Unexpected cancelled() { return fail(Errc::Cancelled, "the operation was cancelled"); }

struct Waiter::Timer : asio::steady_timer {
  using asio::steady_timer::steady_timer;
};

Waiter::Waiter(const Executor& executor) : timer_(std::make_unique<Timer>(executor)) {}
Waiter::~Waiter() = default;

void Waiter::wake() {
  woken_ = true;
  timer_->cancel();
}

Task<Result<void>> Waiter::wait(SteadyTime deadline) {
  auto state = co_await asio::this_coro::cancellation_state;
  if (is_cancelled(state)) co_return cancelled();
  if (woken_) co_return Result<void>{};
  timer_->expires_at(deadline);
  (void)co_await timer_->async_wait(asio::as_tuple(asio::use_awaitable));
  if (is_cancelled(state)) co_return cancelled();
  if (!woken_) co_return fail(Errc::Timeout, "the deadline passed");
  co_return Result<void>{};
}

}  // namespace rescheduler::net
