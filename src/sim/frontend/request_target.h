// Parses the path and query of a request. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::sim {

class Query {
 public:
  // Empty for a malformed escape. If a key appears twice, the first counts.
  static std::optional<Query> parse(std::string_view text);

  std::string get(std::string_view key) const;  // empty if absent
  bool has(std::string_view key) const { return values_.contains(key); }
  // As in Kubernetes: present and neither "false" nor "0".
  bool flag(std::string_view key) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
};

struct ResourcePath {
  std::string group{};  // empty: core
  std::string version{};
  std::string ns{};
  std::string plural{};
  std::string name{};         // empty: the collection
  std::string subresource{};  // with all that follows, as in "proxy/metrics"
};

// Empty if it is not the path of a resource, or for a malformed escape.
std::optional<ResourcePath> parse_resource_path(std::string_view path);

}  // namespace rescheduler::sim
