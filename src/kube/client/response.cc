#include "kube/client/response.h"

#include <charconv>

#include "kube/codec/codec.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

Errc code_for(int http_status, std::string_view reason) {
  switch (http_status) {
    case 401: return Errc::Unauthenticated;
    case 403: return Errc::Denied;
    case 404: return Errc::NotFound;
    case 405:
    case 406:
    case 415: return Errc::Unsupported;
    case 408:
    case 504: return Errc::Timeout;
    case 409: return reason == "AlreadyExists" ? Errc::AlreadyExists : Errc::Conflict;
    case 410: return Errc::Expired;
    case 429: return Errc::Throttled;
    default: return http_status >= 500 ? Errc::Unavailable : Errc::Invalid;
  }
}

// For the HTML page or plain text of a proxy: one line is enough to recognize it.
std::string first_line(std::string_view body) {
  constexpr std::size_t kEnough = 200;
  std::string line;
  for (const char byte : body.substr(0, kEnough)) {
    if (byte == '\n' || byte == '\r') break;
    line += static_cast<unsigned char>(byte) < 0x20 || static_cast<unsigned char>(byte) >= 0x7f ? '?' : byte;
  }
  if (line.size() == kEnough) line += "...";
  return line;
}

std::optional<std::chrono::milliseconds> retry_after_of(const net::Headers& headers) {
  const auto text = headers.get("Retry-After");
  int seconds = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (problem != std::errc{} || end != text.data() + text.size() || seconds < 0 || text.empty()) return std::nullopt;
  return std::chrono::seconds{seconds};
}

}  // namespace

Error error_from_status(const api::Status& status, std::string_view where) {
  Error error;
  error.http_status = status.code();
  error.code = code_for(status.code(), status.reason());
  error.message = fmt::format("{}: {}", where, status.message());
  if (!status.reason().empty()) error.message += fmt::format(" ({})", status.reason());
  if (error.code == Errc::Unauthenticated) {
    error.message +=
        ": the server does not accept the credentials; check that the token or client certificate is correct and has "
        "not expired";
  }
  if (status.details().retry_after_seconds() > 0) {
    error.retry_after = std::chrono::seconds{status.details().retry_after_seconds()};
  }
  return error;
}

Error error_from_response(int http_status, const net::Headers& headers, std::string_view body, std::string_view where) {
  api::Status status;
  const bool understood =
      decode_object(headers.get("Content-Type"), body, status, UnknownFields::Drop).has_value() && status.code() != 0;
  if (!understood) {
    status.Clear();
    status.set_message(fmt::format("the server answered {} with \"{}\"", http_status, first_line(body)));
  }
  status.set_code(http_status);
  Error error = error_from_status(status, where);
  if (const auto asked = retry_after_of(headers)) error.retry_after = asked;
  return error;
}

Result<void> decode_object(std::string_view content_type, std::string_view body, Message& into, UnknownFields unknown) {
  auto encoding = encoding_of(content_type);
  if (!encoding) return fail(std::move(encoding.error()));
  auto decoded = decode(*encoding, body, into, unknown);
  if (!decoded) return fail(std::move(decoded.error()));
  if (decoded->is_status()) {
    return fail(Errc::Unavailable, "the server sent a Status instead of the object: {}", decoded->status->message());
  }
  return {};
}

}  // namespace rescheduler::kube
