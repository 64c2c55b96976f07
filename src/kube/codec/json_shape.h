// How a message type looks in JSON, worked out once per type: names, inlined fields, special forms.
// Shapes are never changed or freed once handed out; any thread may ask for and use them.
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include <google/protobuf/descriptor.h>

#include "kube/codec/resource.h"
#include "kube/proto/options.pb.h"

namespace rescheduler::kube {

struct JsonShape;

struct JsonField {
  const google::protobuf::FieldDescriptor* field = nullptr;
  // Set: the field belongs to this message field of ours, whose fields stand among our own.
  const google::protobuf::FieldDescriptor* inlined_from = nullptr;
  // Of the message, the elements or the map's values; null when those are scalars.
  const JsonShape* child = nullptr;
  bool keep_zero = false;

  std::string_view name() const { return field->json_name(); }
  // What holds one value: the field itself, or the value half of a map's entries.
  const google::protobuf::FieldDescriptor& value_field() const {
    return field->is_map() ? *field->message_type()->map_value() : *field;
  }
};

struct JsonShape {
  const google::protobuf::Descriptor* message = nullptr;
  api::JsonForm form = api::OBJECT;
  const ResourceType* resource = nullptr;  // set: the object may carry apiVersion and kind
  std::vector<JsonField> fields;
  std::unordered_map<std::string_view, const JsonField*> by_name;

  const JsonField* find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  }
};

const JsonShape& json_shape_of(const google::protobuf::Descriptor& message);

}  // namespace rescheduler::kube
