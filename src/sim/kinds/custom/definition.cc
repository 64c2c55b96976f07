// Reads CustomResourceDefinitions.
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include "kube/codec/json_text.h"
#include "sim/kinds/custom/custom_version.h"
#include "sim/kinds/custom/schema.h"
#include "sim/kinds/kind.h"
#include "sim/kinds/rules.h"
#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

const json::value* at(const json::value* value, const char* name) {
  const json::object* object = value == nullptr ? nullptr : value->if_object();
  return object == nullptr ? nullptr : object->if_contains(name);
}

std::string text_at(const json::value* value, const char* name) {
  const json::value* found = at(value, name);
  const json::string* text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(text->data(), text->size());
}

bool flag_at(const json::value* value, const char* name) {
  const json::value* found = at(value, name);
  return found != nullptr && found->is_bool() && found->get_bool();
}

std::vector<std::string> texts_at(const json::value* value, const char* name) {
  std::vector<std::string> texts;
  const json::value* found = at(value, name);
  if (found == nullptr || !found->is_array()) return texts;
  for (const json::value& item : found->get_array()) {
    if (const json::string* text = item.if_string()) texts.emplace_back(text->data(), text->size());
  }
  return texts;
}

template <class Visit>
void for_each_at(const json::value* value, const char* name, const Visit& visit) {
  const json::value* found = at(value, name);
  if (found == nullptr || !found->is_array()) return;
  for (const json::value& item : found->get_array()) visit(item);
}

json::value content_of(const CustomObject& definition) {
  auto content = kube::parse_json(definition.content(), {});
  return content ? std::move(*content) : json::value();
}

PrinterColumn column_from(const json::value& value) {
  PrinterColumn column{text_at(&value, "name"), text_at(&value, "type")};
  column.format = text_at(&value, "format");
  column.description = text_at(&value, "description");
  column.json_path = text_at(&value, "jsonPath");
  const json::value* priority = at(&value, "priority");
  if (priority != nullptr && priority->is_int64()) column.priority = static_cast<int>(priority->get_int64());
  return column;
}

CustomVersion version_from(const json::value& value) {
  CustomVersion version;
  for_each_at(&value, "additionalPrinterColumns",
              [&](const json::value& column) { version.columns.push_back(column_from(column)); });
  if (const json::value* schema = at(at(&value, "schema"), "openAPIV3Schema")) {
    version.schema_text = json::serialize(*schema);
    if (auto usable = Schema::parse(*schema)) version.schema = std::move(*usable);
  }
  version.storage = flag_at(&value, "storage");
  version.deprecated = flag_at(&value, "deprecated");
  if (const json::value* scale = at(at(&value, "subresources"), "scale")) {
    version.spec_replicas_path = text_at(scale, "specReplicasPath");
    version.status_replicas_path = text_at(scale, "statusReplicasPath");
    version.label_selector_path = text_at(scale, "labelSelectorPath");
  }
  for_each_at(&value, "selectableFields",
              [&](const json::value& field) { version.selectable_paths.push_back(text_at(&field, "jsonPath")); });
  return version;
}

}  // namespace

std::vector<Kind> kinds_defined_by(const CustomObject& definition) {
  const json::value content = content_of(definition);
  const json::value* spec = at(&content, "spec");
  const json::value* names = at(spec, "names");
  std::vector<Kind> kinds;
  for_each_at(spec, "versions", [&](const json::value& version) {
    if (!flag_at(&version, "served")) return;
    Kind kind;
    kind.group = text_at(spec, "group");
    kind.version = text_at(&version, "name");
    kind.kind = text_at(names, "kind");
    kind.list_kind = text_at(names, "listKind");
    if (kind.list_kind.empty()) kind.list_kind = kind.kind + "List";
    kind.plural = text_at(names, "plural");
    kind.singular = text_at(names, "singular");
    kind.short_names = texts_at(names, "shortNames");
    kind.categories = texts_at(names, "categories");
    kind.namespaced = text_at(spec, "scope") == "Namespaced";
    kind.custom = true;
    kind.has_status = at(at(&version, "subresources"), "status") != nullptr;
    kind.has_scale = at(at(&version, "subresources"), "scale") != nullptr;
    kind.definition = std::make_shared<const CustomVersion>(version_from(version));
    kind.rules = custom_rules(kind);
    kinds.push_back(std::move(kind));
  });
  return kinds;
}

std::string storage_version_of(const CustomObject& definition) {
  const json::value content = content_of(definition);
  std::string storage;
  for_each_at(at(&content, "spec"), "versions", [&](const json::value& version) {
    if (flag_at(&version, "storage")) storage = text_at(&version, "name");
  });
  return storage;
}

}  // namespace rescheduler::sim
