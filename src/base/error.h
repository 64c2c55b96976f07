// Result<T>: a value, or an Error that says what the caller can do next.
//
// An Error means that an operation failed. A pod that does not fit, a refused eviction and a plan that stopped early
// are normal results with types of their own. No exception crosses a library boundary.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <fmt/core.h>
#include <tl/expected.hpp>

namespace rescheduler {

// Failures have the same code if the caller can react to them in the same way.
enum class Errc {
  Invalid,          // the input is wrong: correct it; a retry does not help
  NotFound,         // the object does not exist
  AlreadyExists,    // another client created the object first
  Conflict,         // the object has changed: read it again, decide again
  Expired,          // the requested resource version is too old: list again
  Throttled,        // too many requests: wait retry_after, then retry
  Unauthenticated,  // credentials are missing, wrong or expired
  Denied,           // the user is known, but not allowed
  Unavailable,      // the peer cannot be reached or fails: retry later
  Timeout,          // the deadline passed; the operation may or may not have taken effect
  Cancelled,        // the caller cancelled the operation
  Unsupported,      // the input is understood, but this program deliberately does not support it
  Internal,         // a defect in this program or in the peer
};

std::string_view to_string(Errc code) noexcept;

struct [[nodiscard]] Error {
  Errc code = Errc::Internal;
  std::string message;                                     // one sentence: what, where, what to do
  std::optional<std::chrono::milliseconds> retry_after{};  // Retry-After of the server, if there was one
  int http_status = 0;                                     // 0 if there was no HTTP response

  // Prefixes the message with the place of the error: "kubeconfig /etc/k.yaml: line 3: ..."
  Error within(std::string_view where) &&;
};

// True if the same call, unchanged, may succeed later.
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
