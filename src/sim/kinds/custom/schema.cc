#include "sim/kinds/custom/schema.h"

#include <fmt/format.h>

#include "sim/kinds/custom/schema_node.h"

namespace rescheduler::sim {

namespace json = boost::json;

// Reads a schema and keeps the first error.
class SchemaReader {
 public:
  using Node = Schema::Node;

  std::unique_ptr<Node> read(const json::value& value, const std::string& path) {
    auto node = std::make_unique<Node>();
    const json::object* object = value.if_object();
    if (object == nullptr) {
      fail_at(path, "a schema must be an object");
      return node;
    }
    for (const auto& [key, member] : *object) read_member(view(key), member, path, *node);
    return node;
  }

  const std::string& fault() const { return fault_; }

  static std::shared_ptr<const Schema> make(std::unique_ptr<Node> root) {
    return std::shared_ptr<const Schema>(new Schema(std::move(root)));
  }

 private:
  void read_member(std::string_view name, const json::value& value, const std::string& path, Node& node) {
    if (read_shape(name, value, path, node) || read_limit(name, value, node)) return;
    if (name == "enum" && value.is_array()) {
      node.allowed.assign(value.get_array().begin(), value.get_array().end());
    } else if (name == "required" && value.is_array()) {
      for (const json::value& field : value.get_array()) {
        if (const json::string* text = field.if_string()) node.required.emplace_back(view(*text));
      }
    } else if (name == "default") {
      node.fallback = value;
    } else if (name == "pattern" && value.is_string()) {
      read_pattern(view(value.get_string()), path, node);
    }
  }

  bool read_shape(std::string_view name, const json::value& value, const std::string& path, Node& node) {
    const bool flag = value.is_bool() && value.get_bool();
    if (name == "type" && value.is_string()) {
      node.type = view(value.get_string());
    } else if (name == "nullable") {
      node.nullable = flag;
    } else if (name == "x-kubernetes-preserve-unknown-fields") {
      node.preserve = flag;
    } else if (name == "x-kubernetes-int-or-string") {
      node.int_or_string = flag;
    } else if (name == "x-kubernetes-embedded-resource") {
      node.embedded = flag;
    } else if (name == "properties" && value.is_object()) {
      for (const auto& [key, property] : value.get_object()) {
        node.properties[std::string(view(key))] = read(property, step(path, "properties", view(key)));
      }
    } else if (name == "additionalProperties") {
      node.any_extra = flag;
      if (value.is_object()) node.extra = read(value, step(path, "additionalProperties", {}));
    } else if (name == "items" && value.is_object()) {
      node.items = read(value, step(path, "items", {}));
    } else {
      return false;
    }
    return true;
  }

  static bool read_limit(std::string_view name, const json::value& value, Node& node) {
    const auto number = [&]() -> std::optional<double> {
      if (!value.is_number()) return std::nullopt;
      return value.to_number<double>();
    };
    const auto count = [&]() -> std::optional<std::int64_t> {
      if (!value.is_int64()) return std::nullopt;
      return value.get_int64();
    };
    if (name == "minimum") {
      node.minimum = number();
    } else if (name == "maximum") {
      node.maximum = number();
    } else if (name == "exclusiveMinimum") {
      node.above_minimum = value.is_bool() && value.get_bool();
    } else if (name == "exclusiveMaximum") {
      node.below_maximum = value.is_bool() && value.get_bool();
    } else if (name == "minLength") {
      node.min_length = count();
    } else if (name == "maxLength") {
      node.max_length = count();
    } else if (name == "minItems") {
      node.min_items = count();
    } else if (name == "maxItems") {
      node.max_items = count();
    } else {
      return false;
    }
    return true;
  }

  void read_pattern(std::string_view text, const std::string& path, Node& node) {
    node.pattern_text = text;
    try {
      node.pattern.emplace(node.pattern_text);
    } catch (const boost::regex_error& error) {
      fail_at(step(path, "pattern", {}), error.what());
    }
  }

  static std::string step(const std::string& path, std::string_view word, std::string_view name) {
    std::string out = path.empty() ? std::string(word) : fmt::format("{}.{}", path, word);
    if (!name.empty()) out += fmt::format("[{}]", name);
    return out;
  }
  void fail_at(const std::string& path, std::string_view why) {
    if (fault_.empty()) fault_ = path.empty() ? std::string(why) : fmt::format("{}: {}", path, why);
  }

  std::string fault_;
};

Schema::Schema(std::unique_ptr<Node> root) : root_(std::move(root)) {}
Schema::~Schema() = default;

Result<std::shared_ptr<const Schema>> Schema::parse(const json::value& schema) {
  SchemaReader reader;
  auto root = reader.read(schema, {});
  if (!reader.fault().empty()) return fail(Errc::Invalid, "{}", reader.fault());
  return SchemaReader::make(std::move(root));
}

// --- pruning ---

namespace {

bool is_type_meta(std::string_view name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

}  // namespace

void Schema::prune(json::object& content) const { prune_object(content, *root_, true); }

void Schema::prune_object(json::object& object, const Node& node, bool is_resource) {
  std::vector<std::string> unknown;
  for (auto& [key, member] : object) {
    const std::string_view name = view(key);
    if (is_resource && is_type_meta(name)) continue;
    if (const Node* property = node.property(name)) {
      prune_value(member, *property);
    } else if (!node.knows(name)) {
      unknown.emplace_back(name);
    }
  }
  for (const std::string& name : unknown) object.erase(name);
}

void Schema::prune_value(json::value& value, const Node& node) {
  if (json::object* object = value.if_object()) {
    prune_object(*object, node, node.embedded);
  } else if (json::array* array = value.if_array(); array != nullptr && node.items != nullptr) {
    for (json::value& item : *array) prune_value(item, *node.items);
  }
}

std::vector<std::string> Schema::unknown(const json::object& content) const {
  std::vector<std::string> paths;
  note_unknown_in(content, *root_, true, {}, paths);
  return paths;
}

void Schema::note_unknown_in(const json::object& object,
                             const Node& node,
                             bool is_resource,
                             const std::string& path,
                             std::vector<std::string>& paths) {
  for (const auto& [key, member] : object) {
    const std::string_view name = view(key);
    if (is_resource && is_type_meta(name)) continue;
    std::string here = path.empty() ? std::string(name) : fmt::format("{}.{}", path, name);
    if (const Node* property = node.property(name)) {
      note_unknown(member, *property, here, paths);
    } else if (!node.knows(name)) {
      paths.push_back(std::move(here));
    }
  }
}

void Schema::note_unknown(const json::value& value,
                          const Node& node,
                          const std::string& path,
                          std::vector<std::string>& paths) {
  if (const json::object* object = value.if_object()) {
    note_unknown_in(*object, node, node.embedded, path, paths);
  } else if (const json::array* array = value.if_array(); array != nullptr && node.items != nullptr) {
    for (std::size_t i = 0; i < array->size(); ++i) {
      note_unknown((*array)[i], *node.items, fmt::format("{}[{}]", path, i), paths);
    }
  }
}

// --- defaults ---

void Schema::fill_in(json::object& content) const { fill_object(content, *root_); }

void Schema::fill_object(json::object& object, const Node& node) {
  for (const auto& [name, property] : node.properties) {
    json::value* member = object.if_contains(name);
    // A null that is not allowed counts as absent if there is a default.
    const bool absent = member == nullptr || (member->is_null() && !property->nullable);
    if (absent && property->fallback) object[name] = json::value(*property->fallback, object.storage());
    member = object.if_contains(name);
    if (member != nullptr) fill_value(*member, *property);
  }
  if (node.extra == nullptr) return;
  for (auto& [key, member] : object) {
    if (!node.properties.contains(view(key))) fill_value(member, *node.extra);
  }
}

void Schema::fill_value(json::value& value, const Node& node) {
  if (json::object* object = value.if_object()) {
    fill_object(*object, node);
  } else if (json::array* array = value.if_array(); array != nullptr && node.items != nullptr) {
    for (json::value& item : *array) fill_value(item, *node.items);
  }
}

}  // namespace rescheduler::sim
