// Checks objects against a schema, with the messages of the real server's validator.
#include <cmath>

#include <boost/json/serialize.hpp>
#include <fmt/format.h>

#include "sim/kinds/custom/schema_node.h"

namespace rescheduler::sim {

namespace json = boost::json;

namespace {

std::string_view type_of(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::bool_: return "boolean";
    case json::kind::string: return "string";
    case json::kind::array: return "array";
    case json::kind::object: return "object";
    case json::kind::double_: return std::floor(value.get_double()) == value.get_double() ? "integer" : "number";
    default: return "integer";
  }
}

bool fits(std::string_view type, std::string_view wanted) {
  return type == wanted || (wanted == "number" && type == "integer");
}

std::string text_of(double number) {
  return std::floor(number) == number ? fmt::format("{:.0f}", number) : fmt::format("{}", number);
}

std::int64_t length_of(std::string_view text) {  // in characters, not bytes
  std::int64_t length = 0;
  for (const char c : text) length += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U ? 1 : 0;
  return length;
}

void in_body(const At& at, std::string_view value, std::string_view why, Faults& faults) {
  const std::string path = at.str();
  faults.invalid(path, value, fmt::format("{} in body {}", path, why));
}

bool matches(std::string_view text, const boost::regex& pattern) {
  try {
    return boost::regex_search(text.begin(), text.end(), pattern);
  } catch (const std::runtime_error&) {  // the pattern is too complex
    return false;
  }
}

void check_allowed(const json::value& value, const std::vector<json::value>& allowed, const At& at, Faults& faults) {
  if (allowed.empty() || std::ranges::find(allowed, value) != allowed.end()) return;
  std::string message = fmt::format("Unsupported value: {}", json::serialize(value));
  for (std::size_t i = 0; i < allowed.size(); ++i) {
    message += i == 0 ? ": supported values: " : ", ";
    message += allowed[i].is_string() ? json::serialize(allowed[i]) : kube::json_string(json::serialize(allowed[i]));
  }
  faults.add("FieldValueNotSupported", std::move(message), at.str());
}

}  // namespace

void Schema::check(const json::object& content, Faults& faults) const {
  check_object(content, *root_, nullptr, faults);
}

void Schema::check_object(const json::object& object, const Node& node, const At* at, Faults& faults) {
  const auto step = [at](std::string_view name) { return at == nullptr ? At(name) : at->child(name); };
  for (const auto& [key, member] : object) {
    if (const Node* property = node.property(view(key))) check_value(member, *property, step(view(key)), faults);
  }
  for (const std::string& name : node.required) {
    if (at == nullptr && (name == "apiVersion" || name == "kind" || name == "metadata")) continue;
    if (object.if_contains(name) == nullptr) faults.required(step(name).str());
  }
}

void Schema::check_value(const json::value& value, const Node& node, const At& at, Faults& faults) {
  if (value.is_null() && node.nullable) return;
  const std::string_view type = type_of(value);
  if (node.int_or_string) {
    if (type != "integer" && type != "string") {
      in_body(at, kube::json_string(type), fmt::format("must be of type integer,string: \"{}\"", type), faults);
      return;
    }
  } else if (!node.type.empty() && !fits(type, node.type)) {
    in_body(at, kube::json_string(type), fmt::format("must be of type {}: \"{}\"", node.type, type), faults);
    return;
  }
  check_allowed(value, node.allowed, at, faults);
  switch (value.kind()) {
    case json::kind::string: check_text(view(value.get_string()), node, at, faults); break;
    case json::kind::array: check_array(value.get_array(), node, at, faults); break;
    case json::kind::object: check_object(value.get_object(), node, &at, faults); break;
    case json::kind::null:
    case json::kind::bool_: break;
    default: check_number(value, node, at, faults);
  }
}

void Schema::check_text(std::string_view text, const Node& node, const At& at, Faults& faults) {
  if (node.max_length && length_of(text) > *node.max_length)
    faults.too_long(at.str(), static_cast<int>(*node.max_length));
  if (node.min_length && length_of(text) < *node.min_length) {
    in_body(at, kube::json_string(text), fmt::format("should be at least {} chars long", *node.min_length), faults);
  }
  if (node.pattern && !matches(text, *node.pattern)) {
    in_body(at, kube::json_string(text), fmt::format("should match '{}'", node.pattern_text), faults);
  }
}

void Schema::check_number(const json::value& value, const Node& node, const At& at, Faults& faults) {
  const auto number = value.to_number<double>();
  if (node.minimum && (node.above_minimum ? number <= *node.minimum : number < *node.minimum)) {
    in_body(
        at, json::serialize(value),
        fmt::format("should be greater than {}{}", node.above_minimum ? "" : "or equal to ", text_of(*node.minimum)),
        faults);
  }
  if (node.maximum && (node.below_maximum ? number >= *node.maximum : number > *node.maximum)) {
    in_body(at, json::serialize(value),
            fmt::format("should be less than {}{}", node.below_maximum ? "" : "or equal to ", text_of(*node.maximum)),
            faults);
  }
}

void Schema::check_array(const json::array& array, const Node& node, const At& at, Faults& faults) {
  const auto count = static_cast<std::int64_t>(array.size());
  if (node.max_items && count > *node.max_items) {
    faults.too_many(at.str(), static_cast<int>(count), static_cast<int>(*node.max_items));
  }
  if (node.min_items && count < *node.min_items) {
    in_body(at, fmt::format("{}", count), fmt::format("should have at least {} items", *node.min_items), faults);
  }
  if (node.items == nullptr) return;
  for (std::size_t i = 0; i < array.size(); ++i) check_value(array[i], *node.items, at[static_cast<int>(i)], faults);
}

}  // namespace rescheduler::sim
