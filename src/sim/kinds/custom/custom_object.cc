// JSON of objects of any kind, and the content of CustomObject.
#include <algorithm>
#include <utility>
#include <vector>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <fmt/format.h>
#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/json_scalars.h"
#include "kube/codec/json_text.h"
#include "kube/codec/json_value.h"
#include "kube/proto/meta.pb.h"
#include "sim/kinds/custom/custom_content.h"
#include "sim/kinds/event_view.h"
#include "sim/kinds/kind.h"
#include "sim/kinds/strict.h"

namespace rescheduler::sim {
namespace {

namespace json = boost::json;

constexpr std::string_view kQuantityRule =
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

std::string_view view(json::string_view text) { return {text.data(), text.size()}; }
std::string_view view(const json::string& text) { return {text.data(), text.size()}; }

bool is_custom(const Message& object) { return object.GetDescriptor() == CustomObject::descriptor(); }

std::string custom_to_json(const Kind& kind, const CustomObject& object) {
  std::string out = "{\"apiVersion\":";
  kube::append_json_string(out, kind.api_version());
  out += ",\"kind\":";
  kube::append_json_string(out, kind.kind);
  out += ",\"metadata\":";
  out += kube::to_json(object.metadata(), {.with_type_meta = false});
  const std::string& content = object.content();
  if (content.size() > 2) {
    out += ',';
    out.append(content, 1, content.size() - 2);
  }
  out += '}';
  return out;
}

// "Pod in version "v1" cannot be handled as a Pod: ...", the message of a decoder of the real server.
StatusError cannot_decode(const Kind& kind, std::string_view why) {
  return bad_request(
      fmt::format("{} in version \"{}\" cannot be handled as a {}: {}", kind.kind, kind.version, kind.kind, why));
}

ApiResult<void> check_type_meta(const Kind& kind, const json::object& object) {
  for (const auto& [name, expected] :
       {std::pair{std::string("apiVersion"), kind.api_version()}, {std::string("kind"), kind.kind}}) {
    const json::value* given = object.if_contains(name);
    if (given == nullptr || given->is_null()) continue;
    if (!given->is_string()) return refuse(cannot_decode(kind, fmt::format("{} must be a string", name)));
    const std::string_view text = view(given->get_string());
    if (text.empty() || text == expected) continue;
    if (name == "kind") {
      return refuse(
          bad_request(fmt::format("{} in version \"{}\" cannot be handled as a {}: converting {} to {}: "
                                  "unknown conversion",
                                  text, kind.version, kind.kind, text, kind.kind)));
    }
    return refuse(bad_request(
        fmt::format("the API version in the data ({}) does not match the expected API version ({})", text, expected)));
  }
  return {};
}

ApiResult<MessagePtr> custom_from_json(const Kind& kind, json::object& object) {
  auto custom = std::make_unique<CustomObject>();
  if (const json::value* metadata = object.if_contains("metadata"); metadata != nullptr && !metadata->is_null()) {
    auto read = kube::from_json_value(*metadata, *custom->mutable_metadata());
    if (!read) return refuse(cannot_decode(kind, std::move(read.error()).within("metadata").message));
  }
  for (const char* name : {"apiVersion", "kind", "metadata"}) object.erase(name);
  custom->set_content(json::serialize(sorted_json(object)));
  return custom;
}

// Removes fields that clients read and send back, but that no wire type has.
void drop_server_side_metadata(json::object& object) {
  json::value* metadata = object.if_contains("metadata");
  if (metadata == nullptr || !metadata->is_object()) return;
  metadata->get_object().erase("managedFields");
  metadata->get_object().erase("selfLink");
}

}  // namespace

// Sorts keys at every level, as Go does for untyped values. So equal contents have equal texts.
json::value sorted_json(const json::value& value) {
  if (const json::array* array = value.if_array()) {
    json::array out(value.storage());
    for (const json::value& item : *array) out.push_back(sorted_json(item));
    return out;
  }
  const json::object* object = value.if_object();
  if (object == nullptr) return value;
  std::vector<const json::key_value_pair*> members;
  for (const json::key_value_pair& member : *object) members.push_back(&member);
  std::ranges::sort(members, {}, [](const json::key_value_pair* member) { return view(member->key()); });
  json::object out(value.storage());
  for (const json::key_value_pair* member : members) out.emplace(member->key(), sorted_json(member->value()));
  return out;
}

std::string object_to_json(const Kind& kind, const Message& object) {
  if (is_custom(object)) return custom_to_json(kind, static_cast<const CustomObject&>(object));
  std::string text = kube::to_json(object);
  if (kind.stored_as == nullptr) return text;
  json::monotonic_resource memory;
  auto value = kube::parse_json(text, &memory);
  if (!value || !value->is_object()) return text;
  to_core_event(value->get_object());
  return json::serialize(sorted_json(*value));
}

ApiResult<MessagePtr> object_from_json(const Kind& kind, std::string_view text, bool strict) {
  json::monotonic_resource memory;
  auto value = kube::parse_json(text, &memory);
  if (!value) return refuse(cannot_decode(kind, value.error().message));
  json::object* object = value->if_object();
  if (object == nullptr) return refuse(cannot_decode(kind, "the body is not a JSON object"));
  auto same_type = check_type_meta(kind, *object);
  if (!same_type) return refuse(std::move(same_type.error()));
  drop_server_side_metadata(*object);
  if (kind.type != nullptr && kind.stored_as != nullptr) from_core_event(*object);
  if (strict) {
    std::string why = strict_faults(kind, *value, text);
    if (!why.empty()) return refuse(cannot_decode(kind, "strict decoding error: " + why));
  }
  if (kind.type == nullptr) return custom_from_json(kind, *object);
  if (has_bad_quantity(kind, *value)) return refuse(cannot_decode(kind, kQuantityRule));
  MessagePtr message = kind.make();
  auto read = kube::from_json_value(*value, *message);
  if (!read) return refuse(cannot_decode(kind, read.error().message));
  return message;
}

ApiResult<MessagePtr> to_stored(const Kind& kind, const Message& typed) {
  if (kind.type != nullptr || is_custom(typed)) {
    MessagePtr copy(typed.New());
    copy->CopyFrom(typed);
    return copy;
  }
  return object_from_json(kind, kube::to_json(typed, {.with_type_meta = false}), false);
}

Result<void> from_stored(const Kind& kind, const Message& stored, Message& typed) {
  if (stored.GetDescriptor() == typed.GetDescriptor()) {
    typed.CopyFrom(stored);
    return {};
  }
  return kube::from_json(object_to_json(kind, stored), typed);
}

}  // namespace rescheduler::sim
