// For .cc files that start Asio operations: has this coroutine's job been cancelled?
//
// Asio cancels only what is pending at that moment. So that everything awaited later ends too, each of our
// primitives asks before it starts an operation and after it has finished one:
//
//   auto state = co_await asio::this_coro::cancellation_state;
//   if (is_cancelled(state)) co_return cancelled();
#pragma once

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/this_coro.hpp>

namespace rescheduler::net {

inline bool is_cancelled(const boost::asio::cancellation_state& state) {
  return state.cancelled() != boost::asio::cancellation_type::none;
}

}  // namespace rescheduler::net
