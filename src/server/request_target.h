// The path and query of a request, decoded once. Authorization and routing use the same text, so they cannot disagree
// about the path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rescheduler::server {

struct RequestTarget {
  std::string path;
  std::vector<std::pair<std::string, std::string>> query;

  bool has(std::string_view name) const;
  std::vector<std::string> all(std::string_view name) const;
};

// Nullopt if it is not an absolute path, or if an escape is malformed or encodes a control character.
std::optional<RequestTarget> parse_target(std::string_view target);

}  // namespace rescheduler::server
