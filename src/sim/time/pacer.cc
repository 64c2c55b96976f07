#include "sim/time/pacer.h"

#include <boost/asio/this_coro.hpp>

namespace rescheduler::sim {

net::Task<Result<void>> AgendaTimers::sleep_for(std::chrono::nanoseconds duration) {
  auto executor = co_await boost::asio::this_coro::executor;
  net::Waiter waiter(executor);
  const Alarm alarm(agenda_, duration, [&waiter] { waiter.wake(); });
  auto ended = co_await waiter.wait(net::kNoDeadline);
  co_return ended;
}

namespace {

// The agenda calls `wake` until this object is destroyed.
class EarlierCall {
 public:
  EarlierCall(Agenda& agenda, std::function<void()> wake) : agenda_(agenda) { agenda_.on_earlier(std::move(wake)); }
  ~EarlierCall() { agenda_.on_earlier(nullptr); }
  EarlierCall(const EarlierCall&) = delete;
  EarlierCall& operator=(const EarlierCall&) = delete;

 private:
  Agenda& agenda_;
};

}  // namespace

net::Task<void> Pacer::run() {
  auto executor = co_await boost::asio::this_coro::executor;
  for (;;) {
    agenda_.run_due();
    net::Waiter waiter(executor);
    const EarlierCall call(agenda_, [&waiter] { waiter.wake(); });
    const auto left = agenda_.real_time_to_next();
    // Waits even if an event is already due, so that the loop's other coroutines can run.
    const SteadyTime deadline = left ? net::deadline_after(*left) : net::kNoDeadline;
    auto ended = co_await waiter.wait(deadline);
    if (!ended && ended.error().code == Errc::Cancelled) co_return;
  }
}

void VirtualLoop::settle() {
  loop_.poll();
  while (holders_ > 0) {
    loop_.run_one();
    loop_.poll();
  }
}

void VirtualLoop::run_for(Agenda::Duration duration) {
  const SteadyTime end = agenda_.steady_now() + duration;
  settle();
  while (agenda_.run_next(end)) settle();
  agenda_.run_for(end - agenda_.steady_now());
}

bool VirtualLoop::run_until(const std::function<bool()>& condition, Agenda::Duration limit) {
  const SteadyTime end = agenda_.steady_now() + limit;
  settle();
  while (!condition()) {
    if (!agenda_.run_next(end)) {
      agenda_.run_for(end - agenda_.steady_now());
      return condition();
    }
    settle();
  }
  return true;
}

}  // namespace rescheduler::sim
