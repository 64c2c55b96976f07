#include "sim/patch/yaml_document.h"

#include <boost/json/value.hpp>

#include "kube/codec/json_text.h"
#include "kube/config/yaml.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

json::value scalar(const kube::YamlNode& node) {
  switch (kube::scalar_type(node)) {
    case kube::ScalarType::Null: return nullptr;
    case kube::ScalarType::Bool:
      if (const auto flag = kube::bool_value(node)) return *flag;
      break;
    case kube::ScalarType::Integer:
      if (const auto integer = kube::integer_value(node)) return *integer;
      [[fallthrough]];  // beyond 64 bits
    case kube::ScalarType::Float:
      if (const auto real = kube::float_value(node)) return *real;
      break;
    case kube::ScalarType::String: break;
  }
  return json::value(node.text);
}

json::value convert(const kube::YamlNode& node) {
  switch (node.kind) {
    case kube::YamlKind::Null: return nullptr;
    case kube::YamlKind::Scalar: return scalar(node);
    case kube::YamlKind::Sequence: {
      json::array items;
      for (const kube::YamlNode& item : node.items) items.push_back(convert(item));
      return items;
    }
    case kube::YamlKind::Map: break;
  }
  json::object members;
  for (const kube::YamlEntry& entry : node.entries) members.insert_or_assign(entry.key, convert(entry.value));
  return members;
}

}  // namespace

Result<json::value> yaml_document(std::string_view text) {
  // What looks like JSON is read as JSON, whose escapes YAML does not all share; flow-style YAML looks so too.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    auto parsed = kube::parse_json(text, {});
    if (parsed) return parsed;
  }
  const auto node = kube::parse_yaml(text, "the body");
  if (!node) return fail(node.error());
  return convert(*node);
}

}  // namespace rescheduler::sim
