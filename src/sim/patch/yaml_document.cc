#include "sim/patch/yaml_document.h"

#include <boost/json/value.hpp>

#include "kube/codec/json_text.h"
#include "kube/config/yaml_json.h"

namespace rescheduler::sim {

namespace json = boost::json;

Result<json::value> yaml_document(std::string_view text) {
  // Text that starts with '{' is parsed as JSON first, because YAML does not have all escapes of JSON. Flow-style YAML
  // starts with '{' too.
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    auto parsed = kube::parse_json(text, {});
    if (parsed) return parsed;
  }
  const auto node = kube::parse_yaml(text, "the body");
  if (!node) return fail(node.error());
  return kube::yaml_value(*node);
}

}  // namespace rescheduler::sim
