#include "kube/config/server_url.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace rescheduler::kube {
namespace {

std::optional<std::uint16_t> parse_port(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (problem != std::errc{} || end != text.data() + text.size() || port == 0) return std::nullopt;
  return port;
}

bool is_host_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' || c == '_';
}

bool is_ipv6_character(char c) {
  return (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F') || (c >= '0' && c <= '9') || c == ':' || c == '.';
}

// Splits "host", "host:port", "[v6]" and "[v6]:port" into origin.
Result<void> parse_authority(std::string_view text, net::Origin& origin) {
  std::string_view host = text;
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const auto close = text.find(']');
    if (close == std::string_view::npos) return fail(Errc::Invalid, "the IPv6 address has no closing bracket");
    host = text.substr(1, close - 1);
    const std::string_view rest = text.substr(close + 1);
    if (!rest.empty() && rest.front() != ':') return fail(Errc::Invalid, "only :PORT may follow the IPv6 address");
    has_port = !rest.empty();
    port = has_port ? rest.substr(1) : rest;
    if (host.find(':') == std::string_view::npos || !std::all_of(host.begin(), host.end(), is_ipv6_character)) {
      return fail(Errc::Invalid, "what stands in brackets is not an IPv6 address");
    }
  } else {
    if (const auto colon = text.find(':'); colon != std::string_view::npos) {
      host = text.substr(0, colon);
      port = text.substr(colon + 1);
      has_port = true;
    }
    if (port.find(':') != std::string_view::npos) {
      return fail(Errc::Invalid, "an IPv6 address must stand in brackets, as in https://[::1]:6443");
    }
    if (host.empty()) return fail(Errc::Invalid, "the host is missing");
    if (!std::all_of(host.begin(), host.end(), is_host_character)) {
      return fail(Errc::Invalid, "the host contains a character that no host name has");
    }
  }
  origin.host = host;
  if (!has_port) return {};
  const auto number = parse_port(port);
  if (!number) return fail(Errc::Invalid, "the port must be a number from 1 to 65535");
  origin.port = *number;
  return {};
}

}  // namespace

Result<ServerUrl> parse_server_url(std::string_view text) {
  ServerUrl url;
  std::string_view rest = text;
  if (rest.starts_with("https://")) {
    rest.remove_prefix(8);
  } else if (rest.starts_with("http://")) {
    rest.remove_prefix(7);
    url.origin.tls = false;
    url.origin.port = 80;
  } else {
    return fail(Errc::Invalid, "must begin with https:// (or http://)");
  }
  const auto path_at = std::min(rest.find_first_of("/?#"), rest.size());
  const std::string_view authority = rest.substr(0, path_at);
  std::string_view path = rest.substr(path_at);
  if (authority.find('@') != std::string_view::npos) {
    return fail(Errc::Invalid, "must not contain a user name or password; put them under the user");
  }
  if (auto parsed = parse_authority(authority, url.origin); !parsed) return fail(std::move(parsed.error()));
  if (path.find_first_of("?#") != std::string_view::npos) {
    return fail(Errc::Invalid, "must not contain a query (?) or fragment (#)");
  }
  const auto is_unfit = [](char c) {
    return static_cast<unsigned char>(c) <= ' ' || static_cast<unsigned char>(c) >= 0x7F;
  };
  if (std::any_of(path.begin(), path.end(), is_unfit)) {
    return fail(Errc::Invalid, "the path contains a blank or a character that must be %-encoded");
  }
  while (path.ends_with('/')) path.remove_suffix(1);
  url.base_path = path;
  return url;
}

}  // namespace rescheduler::kube
