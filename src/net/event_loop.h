// The network thread: one event loop on which every coroutine of net/ and kube/ runs.
//
// Coroutines started here own no locks: whatever they touch belongs to this thread. Other threads hand work
// in with spawn() or wait for an answer with await_result().
#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "net/task.h"

namespace rescheduler::net {

// A running coroutine. cancel() may be called from any thread, any number of times; the coroutine then sees
// Errc::Cancelled from whatever it awaits. Dropping the handle does not cancel.
class Job {
 public:
  Job() = default;
  void cancel();
  bool done() const;  // has it returned?
  // Returns once it has, on the loop that it runs on. Errc::Cancelled when the one who waits is cancelled.
  Task<Result<void>> wait() const;

 private:
  friend Job spawn(Executor executor, std::string name, Task<void> task);
  struct State;
  std::shared_ptr<State> state_;
};

// Cancels all of them and returns when they have ended: they use what the caller is about to take away.
Task<Result<void>> end_all(std::vector<Job> jobs);

// Starts a coroutine. An exception that leaves it is a defect: it ends the process with the job's name.
Job spawn(Executor executor, std::string name, Task<void> task);

class EventLoop {
 public:
  EventLoop();   // starts its thread
  ~EventLoop();  // stops
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Ends the thread; what still waits goes with the loop. Loops that hand each other work all stop before the first of
  // them goes: a thread is still inside the other loop when its answer has arrived there.
  void stop();

  Executor executor() const;
  bool on_loop_thread() const;

  // Runs the task on the loop and blocks this (other) thread until it has returned.
  template <class T>
  Result<T> await_result(Task<Result<T>> task) {
    RESCHEDULER_CHECK(!on_loop_thread(), "the loop's own thread cannot wait for itself");
    auto answer = std::make_shared<std::promise<Result<T>>>();
    auto future = answer->get_future();
    spawn(executor(), "await_result", deliver<T>(std::move(task), std::move(answer)));
    return future.get();
  }

 private:
  template <class T>
  static Task<void> deliver(Task<Result<T>> task, std::shared_ptr<std::promise<Result<T>>> answer) {
    auto result = co_await std::move(task);
    answer->set_value(std::move(result));
  }

  struct State;
  std::unique_ptr<State> state_;
};

// Waits. Fails only with Errc::Cancelled. Components take a Timers so that tests and virtual time can stand in.
class Timers {
 public:
  virtual ~Timers() = default;
  virtual Task<Result<void>> sleep_for(std::chrono::nanoseconds duration) = 0;
};

class RealTimers final : public Timers {
 public:
  Task<Result<void>> sleep_for(std::chrono::nanoseconds duration) override;
};

// Waits for a job of this loop, at most so long. True: it has ended. It is not cancelled.
Task<bool> ended_within(Job job, Timers& timers, std::chrono::nanoseconds limit);

// A value that coroutines of one loop can wait for: set() wakes every waiter, once and for all.
class Gate {
 public:
  explicit Gate(Executor executor);
  ~Gate();
  void open();
  bool is_open() const;
  Task<Result<void>> wait();  // Errc::Cancelled when the waiter is cancelled

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::net
