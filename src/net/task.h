// Task<T>: what a coroutine of net/ and kube/ returns. Asio's awaitable, by a name of our own.
//
// House rule (tools/lint/await_lint.py): one await per statement; it is the whole statement or the whole
// initializer; no braces and no lambda in it. g++ 12 miscompiles the rest.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace rescheduler::net {

template <class T>
using Task = boost::asio::awaitable<T>;
using Executor = boost::asio::any_io_executor;

}  // namespace rescheduler::net
