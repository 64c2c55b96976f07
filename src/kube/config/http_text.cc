#include "kube/config/http_text.h"

#include <algorithm>

#include <fmt/core.h>

#include "kube/value/base64.h"

namespace rescheduler::kube {
namespace {

bool is_token_character(char c) {
  const bool alphanumeric = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return alphanumeric || std::string_view("!#$&'*+-.^_`|~").find(c) != std::string_view::npos;
}

// Encodes characters that are invalid in a header name, and % itself, as %XX.
std::string escape_key(std::string_view key) {
  std::string escaped;
  for (const char c : key) {
    if (is_token_character(c)) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

}  // namespace

bool is_header_safe(std::string_view value) {
  return std::ranges::none_of(value, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < 0x20 && byte != '\t') || byte == 0x7F;
  });
}

std::string bearer_header(const Secret& token) { return "Bearer " + token.reveal(); }

std::string basic_header(const BasicAuth& basic) {
  return "Basic " + base64_encode(basic.username + ":" + basic.password.reveal());
}

net::Headers impersonation_headers(const Impersonation& impersonation) {
  net::Headers headers;
  if (impersonation.user.empty()) return headers;
  headers.add("Impersonate-User", impersonation.user);
  if (!impersonation.uid.empty()) headers.add("Impersonate-Uid", impersonation.uid);
  for (const std::string& group : impersonation.groups) headers.add("Impersonate-Group", group);
  for (const auto& [key, values] : impersonation.extra) {
    for (const std::string& value : values) headers.add("Impersonate-Extra-" + escape_key(key), value);
  }
  return headers;
}

}  // namespace rescheduler::kube
