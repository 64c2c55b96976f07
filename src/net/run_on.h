// Runs a task on another executor and awaits its result on the caller's. For .cc files only: it includes Asio's
// headers.
#pragma once

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/event_loop.h"

namespace rescheduler::net {
namespace run_on_parts {

template <class T, class Waiting>
Task<void> run_there(Task<T> task, Executor home, std::shared_ptr<Waiting> waiting) {
  T answer = co_await std::move(task);
  boost::asio::post(home, [waiting = std::move(waiting), answer = std::move(answer)]() mutable {
    std::move (*waiting)(std::move(answer));
  });
}

struct Start {
  Executor home;
  Executor there;

  template <class Waiting, class T>
  void operator()(Waiting waiting, Task<T> task) const {
    auto slot = boost::asio::get_associated_cancellation_slot(waiting);
    auto kept = std::make_shared<Waiting>(std::move(waiting));
    Job job = spawn(there, "run_on", run_there<T, Waiting>(std::move(task), home, std::move(kept)));
    if (slot.is_connected()) slot.assign([job](boost::asio::cancellation_type) mutable { job.cancel(); });
  }
};

}  // namespace run_on_parts

// If the waiting coroutine is cancelled, run_on cancels the task and still waits until the task has ended, because the
// task may use objects of the waiting coroutine. The task's own result reports the cancellation. run_on does not use
// Asio's co_spawn with use_awaitable: that throws an exception at the next await of a cancelled task, and the exception
// would end the process.
//
// The other thread may still use this loop when the waiting coroutine resumes: stop both loops before destroying one.
template <class T>
Task<T> run_on(Executor there, Task<T> task) {
  const Executor home = co_await boost::asio::this_coro::executor;
  const run_on_parts::Start start(home, there);
  const boost::asio::use_awaitable_t<Executor> token;
  T answer = co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<Executor>, void(T)>(
      start, token, std::move(task));
  co_return answer;
}

}  // namespace rescheduler::net
