#include "sim/patch/managed_fields.h"

#include <algorithm>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>

#include "kube/codec/json_scalars.h"
#include "kube/codec/json_text.h"
#include "sim/patch/json_values.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

std::string text_member(const json::value& entry, std::string_view name) {
  const json::value* found = member_of(entry, name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
}

Result<void> read_entry(const json::value& entry, std::size_t index, ManagedFields& into) {
  const std::string operation = text_member(entry, "operation");
  if (operation != "Apply" && operation != "Update")
    return fail(Errc::Invalid, "operation must be `Apply` or `Update`");
  const std::string api_version = text_member(entry, "apiVersion");
  if (api_version.empty()) return fail(Errc::Invalid, "apiVersion must not be empty");
  const std::string fields_type = text_member(entry, "fieldsType");
  if (fields_type.empty()) return fail(Errc::Invalid, "missing fieldsType in managed fields entry {}", index);
  if (fields_type != "FieldsV1") {
    return fail(Errc::Invalid, "invalid fieldsType {} in managed fields entry {}", kube::json_string(fields_type),
                index);
  }
  FieldManager manager{text_member(entry, "manager"), operation == "Apply", {}, text_member(entry, "subresource")};
  if (!manager.applies) manager.api_version = api_version;
  OwnedFields owned{api_version, text_member(entry, "time"), {}};
  if (const json::value* fields = member_of(entry, "fieldsV1"); fields != nullptr && !fields->is_null()) {
    auto set = FieldSet::from_json(*fields);
    if (!set) return fail(std::move(set.error()));
    owned.fields = std::move(*set);
  }
  into.insert_or_assign(std::move(manager), std::move(owned));
  return {};
}

json::object to_entry(const FieldManager& manager, const OwnedFields& owned) {
  json::object entry;
  entry["manager"] = manager.name;
  entry["operation"] = manager.applies ? "Apply" : "Update";
  entry["apiVersion"] = owned.api_version;
  if (!owned.time.empty()) entry["time"] = owned.time;
  entry["fieldsType"] = "FieldsV1";
  entry["fieldsV1"] = owned.fields.to_json();
  if (!manager.subresource.empty()) entry["subresource"] = manager.subresource;
  return entry;
}

}  // namespace

Result<ManagedFields> read_managed_fields(std::string_view text) {
  ManagedFields managed;
  if (text.empty()) return managed;
  const auto parsed = kube::parse_json(text, {});
  if (!parsed) return fail(parsed.error());
  const json::array* entries = parsed->if_array();
  if (entries == nullptr) return fail(Errc::Invalid, "managedFields is not an array");
  for (std::size_t i = 0; i < entries->size(); ++i) {
    if (auto done = read_entry((*entries)[i], i, managed); !done) return fail(std::move(done.error()));
  }
  return managed;
}

std::string to_text(const ManagedFields& managed) {
  if (managed.empty()) return {};
  std::vector<const ManagedFields::value_type*> entries;
  for (const auto& entry : managed) entries.push_back(&entry);
  // All times have the same text format, so they sort by time.
  std::ranges::sort(entries, {}, [](const ManagedFields::value_type* entry) {
    const auto& [manager, owned] = *entry;
    return std::make_tuple(!manager.applies, std::string_view(owned.time), std::string_view(manager.name),
                           std::string_view(owned.api_version), std::string_view(manager.subresource));
  });
  json::array list;
  for (const auto* entry : entries) list.push_back(to_entry(entry->first, entry->second));
  return json::serialize(list);
}

std::string described(const FieldManager& manager) {
  std::string text = kube::json_string(manager.name);
  if (!manager.subresource.empty()) text += " with subresource " + kube::json_string(manager.subresource);
  if (!manager.applies) text += " using " + manager.api_version;
  return text;
}

}  // namespace rescheduler::sim
