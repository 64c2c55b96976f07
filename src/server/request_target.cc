#include "server/request_target.h"

#include <algorithm>

#include "net/http/http.h"

namespace rescheduler::server {
namespace {

std::optional<std::string> decoded(std::string_view text) {
  auto plain = net::percent_decode(text);
  if (!plain) return std::nullopt;
  const bool clean = std::ranges::none_of(*plain, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
  });
  if (!clean) return std::nullopt;
  return plain;
}

}  // namespace

bool RequestTarget::has(std::string_view name) const {
  return std::ranges::any_of(query, [name](const auto& entry) { return entry.first == name; });
}

std::vector<std::string> RequestTarget::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [key, value] : query) {
    if (key == name) values.push_back(value);
  }
  return values;
}

std::optional<RequestTarget> parse_target(std::string_view target) {
  const std::size_t mark = target.find('?');
  auto path = decoded(target.substr(0, mark));
  if (!path || !path->starts_with('/')) return std::nullopt;
  RequestTarget parsed;
  parsed.path = std::move(*path);
  std::string_view rest = mark == std::string_view::npos ? std::string_view() : target.substr(mark + 1);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('&'), rest.size());
    const std::string_view pair = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    const std::size_t equals = std::min(pair.find('='), pair.size());
    auto key = decoded(pair.substr(0, equals));
    auto value = decoded(pair.substr(std::min(equals + 1, pair.size())));
    if (!key || !value) return std::nullopt;
    if (!key->empty()) parsed.query.emplace_back(std::move(*key), std::move(*value));
  }
  return parsed;
}

}  // namespace rescheduler::server
