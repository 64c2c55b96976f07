#include "cli/plan/json_yaml.h"

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

namespace rescheduler::cli {
namespace {

namespace json = boost::json;

bool is_leaf(const json::value& value) {
  if (const auto* object = value.if_object()) return object->empty();
  if (const auto* array = value.if_array()) return array->empty();
  return true;
}

// JSON strings and empty lists are valid YAML. Floating-point numbers get the usual notation, which is easier to read.
std::string leaf(const json::value& value) {
  return value.is_double() ? fmt::format("{}", value.get_double()) : json::serialize(value);
}

void append(const json::value& value, std::size_t indent, bool in_item, std::string& out) {
  const std::string margin(indent, ' ');
  if (const auto* object = value.if_object(); object != nullptr && !object->empty()) {
    bool first = in_item;
    for (const auto& [key, member] : *object) {
      if (!first) out += margin;
      first = false;
      out += std::string(key) + ":";
      if (is_leaf(member)) {
        out += " " + leaf(member) + "\n";
      } else {
        out += "\n";
        append(member, indent + (member.is_array() ? 0 : 2), false, out);
      }
    }
    return;
  }
  if (const auto* array = value.if_array(); array != nullptr && !array->empty()) {
    for (const json::value& item : *array) {
      out += margin + "- ";
      if (is_leaf(item)) {
        out += leaf(item) + "\n";
      } else {
        append(item, indent + 2, true, out);
      }
    }
    return;
  }
  out += margin + leaf(value) + "\n";
}

}  // namespace

std::string yaml_of(const json::value& value) {
  std::string out;
  append(value, 0, false, out);
  return out;
}

}  // namespace rescheduler::cli
