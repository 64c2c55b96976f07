// Result<T>: a value, or an Error that says what the caller can do next.
//
// Errors are for what went wrong. A pod that does not fit, a refused eviction or a plan that gave up is an
// ordinary answer and has its own type. No exception crosses a library boundary.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <tl/expected.hpp>

namespace rescheduler {

// Named by what the caller does about it.
enum class Errc {
  Invalid,          // the input is wrong: mend it, retrying is useless
  NotFound,         // the thing is not there
  AlreadyExists,    // somebody created it first
  Conflict,         // it changed under us: read again, decide again
  Expired,          // the version asked for is gone: list again
  Throttled,        // told to slow down: wait retry_after, then retry
  Unauthenticated,  // credentials missing, wrong or out of date
  Denied,           // known, but not allowed
  Unavailable,      // the other side cannot be reached or is failing: retry later
  Timeout,          // the deadline passed; the effect may or may not have happened
  Cancelled,        // we were told to stop
  Unsupported,      // understood, and deliberately not done
  Internal,         // a defect, ours or theirs
};

std::string_view to_string(Errc code) noexcept;

struct [[nodiscard]] Error {
  Errc code = Errc::Internal;
  std::string message;                                     // one sentence: what, where, what to do
  std::optional<std::chrono::milliseconds> retry_after{};  // what the server asked for, if it did
  int http_status = 0;                                     // 0 when no HTTP answer was involved

  // Puts where it happened in front: "kubeconfig /etc/k.yaml: line 3: ..."
  Error within(std::string_view where) &&;
};

// Would the same call perhaps succeed later, unchanged?
bool is_retriable(const Error& error) noexcept;

template <class T>
using Result = tl::expected<T, Error>;
using Unexpected = tl::unexpected<Error>;

template <class... Args>
[[nodiscard]] Unexpected fail(Errc code, fmt::format_string<Args...> text, Args&&... args) {
  return Unexpected(Error{code, fmt::format(text, std::forward<Args>(args)...)});
}

[[nodiscard]] inline Unexpected fail(Error error) { return Unexpected(std::move(error)); }

}  // namespace rescheduler
