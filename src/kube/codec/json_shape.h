// The JSON form of a message type, computed once per type: names, inlined fields, special forms.
// Shapes are immutable and live as long as the process. All threads may use them.
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
  // Not null: `field` belongs to this inlined message field, so in JSON it is among the fields of the parent.
  const google::protobuf::FieldDescriptor* inlined_from = nullptr;
  // The shape of the message, of the elements or of the map values; null for scalars.
  const JsonShape* child = nullptr;
  bool keep_zero = false;

  std::string_view name() const { return field->json_name(); }
  // The descriptor of one value: the field itself, or the value of a map entry.
  const google::protobuf::FieldDescriptor& value_field() const {
    return field->is_map() ? *field->message_type()->map_value() : *field;
  }
};

struct JsonShape {
  const google::protobuf::Descriptor* message = nullptr;
  api::JsonForm form = api::OBJECT;
  const ResourceType* resource = nullptr;  // not null: the object may contain apiVersion and kind
  std::vector<JsonField> fields;
  std::unordered_map<std::string_view, const JsonField*> by_name;

  const JsonField* find(std::string_view name) const {
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
  }
};

const JsonShape& json_shape_of(const google::protobuf::Descriptor& message);

}  // namespace rescheduler::kube
