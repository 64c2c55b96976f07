// For .cc files that start Asio operations: tells whether the job of this coroutine has been cancelled.
//
// Asio cancels only the operation that is pending at that moment. Later operations must end too, so each primitive of
// net/ checks before it starts an operation and after the operation ends:
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
