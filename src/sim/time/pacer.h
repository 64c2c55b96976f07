// Connects coroutines and the agenda, in both kinds of time.
//
//   paced    an EventLoop's thread runs coroutines; one of them is a Pacer, which runs the agenda's events when due
//   virtual  a VirtualLoop runs every coroutine until all wait, then runs the agenda's next event, and so on
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "net/event_loop.h"
#include "net/step_loop.h"
#include "net/waiter.h"
#include "sim/time/agenda.h"

namespace rescheduler::sim {

// An event of the agenda that is cancelled when its owner is destroyed.
class Alarm {
 public:
  Alarm(Agenda& agenda, Agenda::Duration delay, Agenda::Event event)
      : agenda_(agenda), ticket_(agenda.after(delay, std::move(event))) {}
  ~Alarm() { agenda_.cancel(ticket_); }
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;

 private:
  Agenda& agenda_;
  Agenda::Ticket ticket_;
};

// Timers for the product's coroutines that use the agenda's clock. The agenda must outlive every sleeping coroutine.
class AgendaTimers final : public net::Timers {
 public:
  explicit AgendaTimers(Agenda& agenda) : agenda_(agenda) {}
  net::Task<Result<void>> sleep_for(std::chrono::nanoseconds duration) override;

 private:
  Agenda& agenda_;
};

// Runs a paced agenda on the loop where its coroutine is spawned. Agenda::follow() must have been called before.
class Pacer {
 public:
  explicit Pacer(Agenda& agenda) : agenda_(agenda) {}
  net::Task<void> run();  // until cancelled

 private:
  Agenda& agenda_;
};

// Virtual time with coroutines. Deterministic as long as no coroutine waits for the machine's clock or the network.
class VirtualLoop {
 public:
  explicit VirtualLoop(Agenda& agenda) : agenda_(agenda), timers_(agenda) {}

  net::Executor executor() const { return loop_.executor(); }
  net::Timers& timers() { return timers_; }
  Agenda& agenda() { return agenda_; }

  // Like the functions of the agenda; coroutines run between its events.
  void run_for(Agenda::Duration duration);
  bool run_until(const std::function<bool()>& condition, Agenda::Duration limit);

  // While time is held, the clock does not advance and the loop waits for the network. Callers need this for work that
  // cannot be virtual, such as calling a webhook.
  void hold_time() { ++holders_; }
  void release_time() { --holders_; }

  // Runs the task to its end and returns its result. A task that takes longer than `limit` is a defect.
  template <class T>
  Result<T> await_result(net::Task<Result<T>> task, Agenda::Duration limit = std::chrono::hours{24}) {
    auto answer = std::make_shared<std::optional<Result<T>>>();
    net::spawn(executor(), "await_result", deliver<T>(std::move(task), answer));
    const bool done = run_until([&answer] { return answer->has_value(); }, limit);
    RESCHEDULER_CHECK(done, "a task did not end within {} s of virtual time",
                      std::chrono::duration_cast<std::chrono::seconds>(limit).count());
    return std::move(**answer);
  }

 private:
  template <class T>
  static net::Task<void> deliver(net::Task<Result<T>> task, std::shared_ptr<std::optional<Result<T>>> answer) {
    auto result = co_await std::move(task);
    answer->emplace(std::move(result));
  }
  void settle();

  Agenda& agenda_;
  AgendaTimers timers_;
  int holders_ = 0;
  net::StepLoop loop_;  // last member: its coroutines are destroyed first
};

}  // namespace rescheduler::sim
