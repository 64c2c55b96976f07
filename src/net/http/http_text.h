// HTTP messages as text for the wire. Internal to net/.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "net/http/http.h"
#include "net/http/http_client.h"

namespace rescheduler::net {

// "example.com", "[::1]:8080": without the port if it is the scheme's own.
std::string host_header(const Origin& origin);

// Request line and header fields, with the empty line. The length of the body is ours to say, so such fields in
// `request` are left out. Errc::Invalid if a part would not survive the wire (line breaks, spaces in the target).
Result<std::string> request_head(const HttpRequest& request, const Origin& origin);

enum class BodyFraming { None, Length, Chunked, UntilClose };
Result<std::string> response_head(const HttpResponse& response, BodyFraming framing, bool keep_alive);

std::string_view reason_phrase(int status);
bool has_token(std::string_view list, std::string_view token);  // in "a, b, c"; without regard to case
bool is_idempotent(std::string_view method);

}  // namespace rescheduler::net
