#include "placement/visited_nodes.h"

#include <algorithm>

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

namespace rescheduler::placement {
namespace {

namespace json = boost::json;

}  // namespace

Result<std::vector<std::string>> read_visited(std::string_view annotation) {
  json::error_code fault;
  const json::value value = json::parse(json::string_view(annotation.data(), annotation.size()), fault);
  if (fault) return fail(Errc::Invalid, "{} is not valid JSON: {}", kScheduledHosts, fault.message());
  std::vector<std::string> nodes;
  if (value.is_null()) return nodes;
  if (!value.is_array()) return fail(Errc::Invalid, "{} is not a list of names", kScheduledHosts);
  for (const json::value& one : value.get_array()) {
    if (!one.is_string()) return fail(Errc::Invalid, "{} contains an entry that is not a name", kScheduledHosts);
    std::string name(one.get_string());
    std::erase(nodes, name);
    nodes.push_back(std::move(name));
  }
  return nodes;
}

std::string write_visited(const std::vector<std::string>& nodes) {
  json::array names;
  for (const std::string& node : nodes) names.emplace_back(node);
  return json::serialize(names);
}

}  // namespace rescheduler::placement
