// The network thread: one event loop that runs the coroutines of net/ and kube/.
//
// Coroutines of the loop need no locks: the data that they use belongs to this thread. Other threads start work with
// spawn() or wait for a result with await_result().
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

// A running coroutine. cancel() may be called from any thread, any number of times: the coroutine then gets
// Errc::Cancelled from the operation that it awaits. Destroying the handle does not cancel the coroutine.
class Job {
 public:
  Job() = default;
  void cancel();
  bool done() const;  // true when the coroutine has returned, or was destroyed with its loop
  // Waits, on the job's own loop, until the job has returned. Errc::Cancelled when the waiting coroutine is cancelled.
  Task<Result<void>> wait() const;

 private:
  friend Job spawn(Executor executor, std::string name, Task<void> task);
  struct State;
  std::shared_ptr<State> state_;
};

// Cancels all jobs and waits until they have ended. Use it before destroying objects that the jobs use.
Task<Result<void>> end_all(std::vector<Job> jobs);

// Starts a coroutine. An exception that leaves the coroutine is a defect: it ends the process and reports the job's
// name.
Job spawn(Executor executor, std::string name, Task<void> task);

class EventLoop {
 public:
  EventLoop();   // starts the thread
  ~EventLoop();  // calls stop()
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // Ends the thread. Coroutines that still wait are destroyed with the loop. Loops that give work to each other must
  // all stop before the first of them is destroyed: after an answer arrives, the thread that sent it may still use the
  // loop that received it.
  void stop();

  Executor executor() const;
  bool on_loop_thread() const;

  // Runs the task on the loop and blocks the calling thread, which must be another thread, until the task returns.
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

// Sleeps. Fails only with Errc::Cancelled. Components take a Timers, so that tests and virtual time can replace it.
class Timers {
 public:
  virtual ~Timers() = default;
  virtual Task<Result<void>> sleep_for(std::chrono::nanoseconds duration) = 0;
};

class RealTimers final : public Timers {
 public:
  Task<Result<void>> sleep_for(std::chrono::nanoseconds duration) override;
};

// Waits for a job of this loop, at most for `limit`. True if the job has ended. Does not cancel the job.
Task<bool> ended_within(Job job, Timers& timers, std::chrono::nanoseconds limit);

// A one-time event that coroutines of one loop can wait for: open() wakes every waiter, and later waits return at once.
class Gate {
 public:
  explicit Gate(Executor executor);
  ~Gate();
  void open();
  bool is_open() const;
  Task<Result<void>> wait();  // Errc::Cancelled when the waiter is cancelled or the gate is destroyed

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::net
