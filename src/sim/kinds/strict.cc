#include "sim/kinds/strict.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <vector>

#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kube/codec/json_shape.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/quantity.h"
#include "sim/kinds/custom/custom_version.h"
#include "sim/kinds/custom/schema.h"
#include "sim/kinds/kind.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;
using boost::system::error_code;

std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

std::string step(const std::string& path, std::string_view name) {
  return path.empty() ? std::string(name) : path + "." + std::string(name);
}

// Fields that Kubernetes has and our wire types do not have. The server accepts and drops them, so that ordinary
// manifests are valid.
bool is_left_out(std::string_view message, std::string_view field) {
  static const std::set<std::pair<std::string_view, std::string_view>> left_out = {
      {"ObjectMeta", "managedFields"},
      {"ObjectMeta", "selfLink"},
      {"ListMeta", "selfLink"},
      {"HorizontalPodAutoscalerSpec", "metrics"},
      {"HorizontalPodAutoscalerSpec", "behavior"},
      {"HorizontalPodAutoscalerStatus", "currentMetrics"},
      {"NodeSpec", "configSource"},
      {"NodeSpec", "externalID"},
      {"NodeStatus", "config"},
      {"PodSpec", "evictionResponders"},
  };
  return left_out.contains({message, field});
}

void find_unknown(const json::value& value,
                  const kube::JsonShape& shape,
                  const std::string& path,
                  std::vector<std::string>& faults);

void descend(const json::value& value,
             const kube::JsonField& field,
             const std::string& path,
             std::vector<std::string>& faults) {
  if (field.child == nullptr) return;
  if (field.field->is_map()) {
    if (const json::object* object = value.if_object()) {
      for (const auto& [key, member] : *object) find_unknown(member, *field.child, step(path, view(key)), faults);
    }
  } else if (field.field->is_repeated()) {
    if (const json::array* array = value.if_array()) {
      for (std::size_t i = 0; i < array->size(); ++i) {
        find_unknown((*array)[i], *field.child, fmt::format("{}[{}]", path, i), faults);
      }
    }
  } else {
    find_unknown(value, *field.child, path, faults);
  }
}

void find_unknown(const json::value& value,
                  const kube::JsonShape& shape,
                  const std::string& path,
                  std::vector<std::string>& faults) {
  const json::object* object = value.if_object();
  if (object == nullptr || shape.form != api::OBJECT) return;
  for (const auto& [key, member] : *object) {
    const std::string_view name = view(key);
    if (const kube::JsonField* field = shape.find(name)) {
      descend(member, *field, step(path, name), faults);
    } else if (shape.resource != nullptr && (name == "apiVersion" || name == "kind")) {
      continue;
    } else if (!is_left_out(shape.message->name(), name)) {
      faults.push_back(fmt::format("unknown field \"{}\"", step(path, name)));
    }
  }
}

// A parse handler for valid text that collects duplicate keys.
struct DuplicateNotes {
  // NOLINTBEGIN(readability-identifier-naming): Boost.JSON's names
  static constexpr std::size_t max_object_size = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t max_array_size = max_object_size;
  static constexpr std::size_t max_key_size = max_object_size;
  static constexpr std::size_t max_string_size = max_object_size;
  // NOLINTEND(readability-identifier-naming)

  struct Level {
    bool is_array = false;
    std::size_t index = 0;
    std::set<std::string, std::less<>> keys{};
    std::string key{};
  };
  std::vector<Level> levels;
  std::string key;
  std::vector<std::string> faults;

  std::string path() const {
    std::string out;
    for (const Level& level : levels) {
      if (level.is_array) {
        out += fmt::format("[{}]", level.index);
      } else {
        out = step(out, level.key);
      }
    }
    return out;
  }
  bool value_done() {
    if (!levels.empty() && levels.back().is_array) ++levels.back().index;
    return true;
  }

  bool on_key_part(json::string_view part, std::size_t, error_code&) {
    key.append(part.data(), part.size());
    return true;
  }
  bool on_key(json::string_view last, std::size_t, error_code&) {
    key.append(last.data(), last.size());
    Level& level = levels.back();
    level.key = std::move(key);
    key.clear();
    if (!level.keys.insert(level.key).second) faults.push_back(fmt::format("duplicate field \"{}\"", path()));
    return true;
  }
  bool on_object_begin(error_code&) {
    levels.emplace_back();
    return true;
  }
  bool on_array_begin(error_code&) {
    levels.emplace_back().is_array = true;
    return true;
  }
  bool on_object_end(std::size_t, error_code&) {
    levels.pop_back();
    return value_done();
  }
  bool on_array_end(std::size_t, error_code&) {
    levels.pop_back();
    return value_done();
  }
  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_string_part(json::string_view, std::size_t, error_code&) { return true; }
  bool on_string(json::string_view, std::size_t, error_code&) { return value_done(); }
  bool on_number_part(json::string_view, error_code&) { return true; }
  bool on_int64(std::int64_t, json::string_view, error_code&) { return value_done(); }
  bool on_uint64(std::uint64_t, json::string_view, error_code&) { return value_done(); }
  bool on_double(double, json::string_view, error_code&) { return value_done(); }
  bool on_bool(bool, error_code&) { return value_done(); }
  bool on_null(error_code&) { return value_done(); }
  bool on_comment_part(json::string_view, error_code&) { return true; }
  bool on_comment(json::string_view, error_code&) { return true; }
};

std::vector<std::string> find_duplicates(std::string_view text) {
  json::parse_options options;
  options.max_depth = 128;
  json::basic_parser<DuplicateNotes> parser(options);
  error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return std::move(parser.handler().faults);
}

bool has_bad_quantity(const json::value& value, const kube::JsonShape& shape) {
  if (shape.form == api::QUANTITY) {
    const json::string* text = value.if_string();
    return text != nullptr && !kube::Quantity::parse({text->data(), text->size()});
  }
  const json::object* object = value.if_object();
  if (object == nullptr || shape.form != api::OBJECT) return false;
  for (const auto& [key, member] : *object) {
    const kube::JsonField* field = shape.find(view(key));
    if (field == nullptr || field->child == nullptr) continue;
    const auto is_bad = [field](const json::value& one) { return has_bad_quantity(one, *field->child); };
    bool bad = false;
    if (field->field->is_map()) {
      const json::object* entries = member.if_object();
      bad = entries != nullptr && std::ranges::any_of(*entries, is_bad, [](const auto& entry) -> const json::value& {
              return entry.value();
            });
    } else if (field->field->is_repeated()) {
      const json::array* items = member.if_array();
      bad = items != nullptr && std::ranges::any_of(*items, is_bad);
    } else {
      bad = is_bad(member);
    }
    if (bad) return true;
  }
  return false;
}

}  // namespace

bool has_bad_quantity(const Kind& kind, const json::value& object) {
  return kind.type != nullptr && has_bad_quantity(object, kube::json_shape_of(*kind.type->message));
}

std::string strict_faults(const Kind& kind, const json::value& object, std::string_view text) {
  std::vector<std::string> faults = find_duplicates(text);
  if (kind.type != nullptr) {
    find_unknown(object, kube::json_shape_of(*kind.type->message), {}, faults);
  } else if (const json::value* metadata = object.get_object().if_contains("metadata")) {
    find_unknown(*metadata, kube::json_shape_of(*api::ObjectMeta::descriptor()), "metadata", faults);
  }
  if (kind.definition != nullptr && kind.definition->schema != nullptr) {
    for (const std::string& path : kind.definition->schema->unknown(object.get_object())) {
      faults.push_back(fmt::format("unknown field \"{}\"", path));
    }
  }
  return fmt::format("{}", fmt::join(faults, ", "));
}

}  // namespace rescheduler::sim
