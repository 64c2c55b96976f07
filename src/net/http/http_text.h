// HTTP messages as text for the wire. Internal to net/.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "net/http/http.h"
#include "net/http/http_client.h"

namespace rescheduler::net {

// "example.com", "[::1]:8080". The default port of the scheme is left out.
std::string host_header(const Origin& origin);

// The request line and the header fields, with the empty line. Fields of `request` that give the length of the body are
// replaced by the real length. Errc::Invalid for line breaks, or spaces in the target.
Result<std::string> request_head(const HttpRequest& request, const Origin& origin);

enum class BodyFraming { None, Length, Chunked, UntilClose };
Result<std::string> response_head(const HttpResponse& response, BodyFraming framing, bool keep_alive);

std::string_view reason_phrase(int status);
bool has_token(std::string_view list, std::string_view token);  // in "a, b, c"; case-insensitive
bool is_idempotent(std::string_view method);

}  // namespace rescheduler::net
