#include "base/error.h"

namespace rescheduler {

std::string_view to_string(Errc code) noexcept {
  switch (code) {
    case Errc::Invalid: return "invalid";
    case Errc::NotFound: return "not found";
    case Errc::AlreadyExists: return "already exists";
    case Errc::Conflict: return "conflict";
    case Errc::Expired: return "expired";
    case Errc::Throttled: return "throttled";
    case Errc::Unauthenticated: return "unauthenticated";
    case Errc::Denied: return "denied";
    case Errc::Unavailable: return "unavailable";
    case Errc::Timeout: return "timeout";
    case Errc::Cancelled: return "cancelled";
    case Errc::Unsupported: return "unsupported";
    case Errc::Internal: return "internal";
  }
  return "unknown";
}

Error Error::within(std::string_view where) && {
  message = fmt::format("{}: {}", where, message);
  return std::move(*this);
}

bool is_retriable(const Error& error) noexcept {
  return error.code == Errc::Throttled || error.code == Errc::Unavailable || error.code == Errc::Timeout;
}

}  // namespace rescheduler
