// Task<T> is the return type of the coroutines of net/ and kube/: an alias of Asio's awaitable.
//
// Rule (tools/lint/await_lint.py): one await per statement. The await is the whole statement or the whole initializer,
// without braces or lambdas in it. g++ 12 miscompiles other forms.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace rescheduler::net {

template <class T>
using Task = boost::asio::awaitable<T>;
using Executor = boost::asio::any_io_executor;

}  // namespace rescheduler::net
