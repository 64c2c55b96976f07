// Objects stored as JSON: custom kinds, checked by their schema, and built-in kinds without checks of their content.
#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kube/codec/json_text.h"
#include "kube/proto/meta.pb.h"
#include "sim/kinds/custom/custom_content.h"
#include "sim/kinds/custom/custom_version.h"
#include "sim/kinds/custom/schema.h"
#include "sim/kinds/rules.h"
#include "sim/kinds/typed_rules.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

constexpr const char* kStatus = "status";

void drop_status(CustomObject& object, const RuleContext&, Faults&) {
  if (object.content().find("\"status\"") == std::string::npos) return;
  json::monotonic_resource memory;
  json::object content = content_of(object, &memory);
  content.erase(kStatus);
  set_content(object, content);
}

// Takes the status from `status_from` and keeps everything else in `rest`.
void combine(const CustomObject& status_from, CustomObject& rest) {
  json::monotonic_resource memory;
  json::object content = content_of(rest, &memory);
  const json::object other = content_of(status_from, &memory);
  content.erase(kStatus);
  if (const json::value* status = other.if_contains(kStatus)) content[kStatus] = *status;
  set_content(rest, content);
}

void keep_status(const CustomObject& before, CustomObject& after) { combine(before, after); }

void keep_all_but_status(const CustomObject& before, CustomObject& after) {
  CustomObject kept = before;
  combine(after, kept);
  // The server has already set the expected version in the metadata.
  kept.mutable_metadata()->set_resource_version(after.metadata().resource_version());
  after = std::move(kept);
}

bool differs_beside_status(const CustomObject& before, const CustomObject& after) {
  if (before.content() == after.content()) return false;
  json::monotonic_resource memory;
  json::object old = content_of(before, &memory);
  json::object now = content_of(after, &memory);
  old.erase(kStatus);
  now.erase(kStatus);
  return old != now;
}

bool differs(const CustomObject& before, const CustomObject& after) { return before.content() != after.content(); }

// A number, string or boolean at a path such as ".spec.phase". Other values are not selectable.
bool find_text(const json::object& content, std::string_view path, std::string& text) {
  const json::object* object = &content;
  if (path.starts_with('.')) path.remove_prefix(1);
  for (;;) {
    const std::size_t dot = path.find('.');
    const std::string name(path.substr(0, dot));
    const json::value* member = object->if_contains(name);
    if (member == nullptr) return false;
    if (dot == std::string_view::npos) {
      if (member->is_object() || member->is_array() || member->is_null()) return false;
      text = member->is_string() ? std::string(member->get_string().c_str()) : json::serialize(*member);
      return true;
    }
    object = member->if_object();
    if (object == nullptr) return false;
    path.remove_prefix(dot + 1);
  }
}

}  // namespace

json::object content_of(const CustomObject& object, json::storage_ptr storage) {
  if (object.content().empty()) return json::object(std::move(storage));
  auto content = kube::parse_json(object.content(), storage);
  if (!content || !content->is_object()) return json::object(std::move(storage));
  return std::move(content->get_object());
}

void set_content(CustomObject& object, const json::object& content) {
  object.set_content(json::serialize(sorted_json(content)));
}

KindRules untyped_rules(bool has_status, bool has_generation) {
  KindRules rules;
  if (has_status) {
    rules.on_create = on<CustomObject>(drop_status);
    rules.on_update = on_both<CustomObject>(keep_status);
    rules.on_status_update = on_both<CustomObject>(keep_all_but_status);
  }
  if (has_generation) rules.spec_differs = on_both<CustomObject>(has_status ? differs_beside_status : differs);
  return rules;
}

KindRules custom_rules(const Kind& kind) {
  KindRules rules = untyped_rules(kind.has_status, true);
  const std::shared_ptr<const CustomVersion> definition = kind.definition;
  for (const std::string& path : definition->selectable_paths) {
    rules.selectable_fields.push_back(path.starts_with('.') ? path.substr(1) : path);
  }
  rules.field = on<CustomObject>([](const CustomObject& object, std::string_view field, std::string& scratch) {
    json::monotonic_resource memory;
    const bool found = find_text(content_of(object, &memory), field, scratch);
    return found ? &scratch : nullptr;
  });
  if (definition->schema == nullptr) return rules;
  const std::shared_ptr<const Schema> schema = definition->schema;
  rules.defaults = on<CustomObject>([schema](CustomObject& object) {
    json::monotonic_resource memory;
    json::object content = content_of(object, &memory);
    schema->prune(content);
    schema->fill_in(content);
    set_content(object, content);
  });
  rules.validate = on<CustomObject>([schema](const CustomObject& object, Faults& faults) {
    json::monotonic_resource memory;
    schema->check(content_of(object, &memory), faults);
  });
  rules.validate_status_update =
      on_both<CustomObject>([schema](const CustomObject&, const CustomObject& after, Faults& faults) {
        json::monotonic_resource memory;
        schema->check(content_of(after, &memory), faults);
      });
  return rules;
}

}  // namespace rescheduler::sim
