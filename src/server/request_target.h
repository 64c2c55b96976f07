// The path and query of a request, decoded once. Whether somebody may ask for a path and what answers there are
// decided on the same text, so the two cannot differ about it.
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

// Nothing when it is no absolute path, or an escape is malformed or hides a control character.
std::optional<RequestTarget> parse_target(std::string_view target);

}  // namespace rescheduler::server
