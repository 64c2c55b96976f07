// The URL of an HTTP server: "https://10.0.0.1:6443/base".
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "net/http/http_client.h"

namespace rescheduler::net {

struct ParsedUrl {
  Origin origin;
  std::string base_path;  // "" or "/something", never with a slash at the end: append "/api/..." to it
  std::string query;      // without the '?'; usually empty
};

// Only absolute http and https URLs. User names, passwords and fragments are refused (Errc::Invalid, one sentence).
Result<ParsedUrl> parse_url(std::string_view text);

}  // namespace rescheduler::net
