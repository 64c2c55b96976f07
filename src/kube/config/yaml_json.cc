#include "kube/config/yaml_json.h"

#include <boost/json.hpp>

#include "kube/config/yaml_reader.h"

namespace rescheduler::kube {
namespace {

namespace json = boost::json;

json::value scalar(const YamlNode& node) {
  switch (scalar_type(node)) {
    case ScalarType::Null: return nullptr;
    case ScalarType::Bool:
      if (const auto flag = bool_value(node)) return *flag;
      break;
    case ScalarType::Integer:
      if (const auto integer = integer_value(node)) return *integer;
      [[fallthrough]];  // an integer beyond 64 bits
    case ScalarType::Float:
      if (const auto real = float_value(node)) return *real;
      break;
    case ScalarType::String: break;
  }
  return json::value(node.text);
}

}  // namespace

json::value yaml_value(const YamlNode& node) {
  switch (node.kind) {
    case YamlKind::Null: return nullptr;
    case YamlKind::Scalar: return scalar(node);
    case YamlKind::Sequence: {
      json::array items;
      for (const YamlNode& item : node.items) items.push_back(yaml_value(item));
      return items;
    }
    case YamlKind::Map: break;
  }
  json::object members;
  for (const YamlEntry& entry : node.entries) members.insert_or_assign(entry.key, yaml_value(entry.value));
  return members;
}

std::string yaml_to_json(const YamlNode& node) { return json::serialize(yaml_value(node)); }

}  // namespace rescheduler::kube
