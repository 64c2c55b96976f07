// Runs a task on another executor and waits for its answer on one's own. For .cc files: it brings Asio's headers along.
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

// Who is cancelled while waiting cancels the task, is told so by its answer, and never goes on before the task has
// ended: it may use what the waiting one owns. Asio's own way, co_spawn with use_awaitable, tells a cancelled task by
// an exception at its next await, and that ends the process.
//
// The other thread still touches this loop when the waiting one goes on: before one of the two loops goes, both stop.
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
