#include "net/http/url.h"

#include <algorithm>
#include <charconv>

namespace rescheduler::net {

namespace {

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_address_character(char c) {  // of an IPv6 address with or without a zone
  return is_host_character(c) || c == ':' || c == '%';
}

Result<std::uint16_t> parse_port(std::string_view digits, std::string_view url) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
  if (error != std::errc() || end != digits.data() + digits.size() || port == 0 || port > 65535) {
    return fail(Errc::Invalid, "the URL '{}' has the port '{}', which is not a number from 1 to 65535", url, digits);
  }
  return static_cast<std::uint16_t>(port);
}

Result<void> parse_authority(std::string_view authority, std::string_view url, Origin& origin) {
  std::string_view port;
  if (authority.starts_with('[')) {
    const auto close = authority.find(']');
    if (close == std::string_view::npos) return fail(Errc::Invalid, "the URL '{}' lacks a closing bracket", url);
    origin.host = lower_case(authority.substr(1, close - 1));
    port = authority.substr(close + 1);
    if (origin.host.find(':') == std::string::npos || !std::ranges::all_of(origin.host, is_address_character)) {
      return fail(Errc::Invalid, "the URL '{}' has no IPv6 address between its brackets", url);
    }
    if (!port.empty() && !port.starts_with(':')) {
      return fail(Errc::Invalid, "the URL '{}' has text after its address that is not a port", url);
    }
  } else {
    const auto colon = authority.find(':');
    origin.host = lower_case(authority.substr(0, colon));
    port = colon == std::string_view::npos ? std::string_view() : authority.substr(colon);
    if (origin.host.empty()) return fail(Errc::Invalid, "the URL '{}' has no host", url);
    if (port.find(':', 1) != std::string_view::npos) {
      return fail(Errc::Invalid, "the URL '{}' needs brackets around its IPv6 address", url);
    }
    if (!std::ranges::all_of(origin.host, is_host_character)) {
      return fail(Errc::Invalid, "the URL '{}' has a host name with invalid characters", url);
    }
  }
  origin.port = origin.tls ? 443 : 80;
  if (port.size() <= 1) return {};
  auto number = parse_port(port.substr(1), url);
  if (!number) return fail(std::move(number.error()));
  origin.port = *number;
  return {};
}

}  // namespace

Result<ParsedUrl> parse_url(std::string_view text) {
  ParsedUrl parsed;
  const auto mark = text.find("://");
  const std::string scheme = lower_case(text.substr(0, mark == std::string_view::npos ? 0 : mark));
  const auto authority_end = mark == std::string_view::npos ? mark : text.find_first_of("/?#", mark + 3);
  const auto authority =
      mark == std::string_view::npos ? std::string_view() : text.substr(mark + 3, authority_end - mark - 3);
  if (authority.find('@') != std::string_view::npos) {  // checked first, so that no error message repeats a password
    return fail(Errc::Invalid, "a URL must not carry a user name or password; configure credentials separately");
  }
  if (scheme != "http" && scheme != "https") {
    return fail(Errc::Invalid, "the URL '{}' must begin with http:// or https://", text);
  }
  const bool visible = std::ranges::all_of(text, [](char c) { return c > ' ' && c < '\x7f'; });
  if (!visible) return fail(Errc::Invalid, "the URL '{}' has a space or an unencoded special character in it", text);
  if (text.find('#') != std::string_view::npos) {
    return fail(Errc::Invalid, "the URL '{}' has a fragment (#...), which servers do not receive", text);
  }
  parsed.origin.tls = scheme == "https";
  if (auto good = parse_authority(authority, text, parsed.origin); !good) return fail(std::move(good.error()));
  if (authority_end == std::string_view::npos) return parsed;
  std::string_view path = text.substr(authority_end);
  if (const auto question = path.find('?'); question != std::string_view::npos) {
    parsed.query = path.substr(question + 1);
    path = path.substr(0, question);
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  parsed.base_path = path;
  return parsed;
}

}  // namespace rescheduler::net
