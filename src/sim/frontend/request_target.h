// What a request's path and query mean. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::sim {

class Query {
 public:
  // Nothing when an escape is malformed. Of a key that comes twice the first counts.
  static std::optional<Query> parse(std::string_view text);

  std::string get(std::string_view key) const;  // empty when absent
  bool has(std::string_view key) const { return values_.contains(key); }
  // Kubernetes' way: present and neither "false" nor "0".
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
  std::string subresource{};  // with everything that follows, as in "proxy/metrics"
};

// Nothing when it is not the path of a resource, or an escape is malformed.
std::optional<ResourcePath> parse_resource_path(std::string_view path);

}  // namespace rescheduler::sim
