#include "kube/codec/json_shape.h"

#include <memory>
#include <mutex>

#include "base/check.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

bool is_supported(const FieldDescriptor& value) {
  switch (value.type()) {
    case FieldDescriptor::TYPE_BOOL:
    case FieldDescriptor::TYPE_INT32:
    case FieldDescriptor::TYPE_INT64:
    case FieldDescriptor::TYPE_STRING:
    case FieldDescriptor::TYPE_BYTES:
    case FieldDescriptor::TYPE_MESSAGE: return true;
    default: return false;
  }
}

class ShapeBook {
 public:
  const JsonShape& shape_of(const Descriptor& message) {
    const std::lock_guard lock(mutex_);
    return make(message);
  }

 private:
  // The shape is added to the map before its fields are known, because a type can contain itself.
  JsonShape& make(const Descriptor& message) {
    auto& slot = shapes_[&message];
    if (slot) return *slot;
    slot = std::make_unique<JsonShape>();
    JsonShape& shape = *slot;
    shape.message = &message;
    shape.form = message.options().GetExtension(api::json_form);
    shape.resource = find_resource(message);
    add_fields(shape, message, nullptr);
    for (const JsonField& field : shape.fields) shape.by_name.emplace(field.name(), &field);
    return shape;
  }

  void add_fields(JsonShape& shape, const Descriptor& message, const FieldDescriptor* inlined_from) {
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      if (field.options().GetExtension(api::inline_)) {
        RESCHEDULER_CHECK(inlined_from == nullptr && !field.is_repeated(), "{} cannot be inlined", field.full_name());
        add_fields(shape, *field.message_type(), &field);
        continue;
      }
      JsonField& added = shape.fields.emplace_back();
      added.field = &field;
      added.inlined_from = inlined_from;
      added.keep_zero = field.options().GetExtension(api::keep_zero);
      const FieldDescriptor& value = added.value_field();
      RESCHEDULER_CHECK(is_supported(value), "{} has a type the Kubernetes API does not use", field.full_name());
      if (value.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) added.child = &make(*value.message_type());
      RESCHEDULER_CHECK(!field.is_map() || field.message_type()->map_key()->type() == FieldDescriptor::TYPE_STRING,
                        "{} is a map whose keys are not strings", field.full_name());
    }
  }

  std::mutex mutex_;
  std::unordered_map<const Descriptor*, std::unique_ptr<JsonShape>> shapes_;
};

}  // namespace

const JsonShape& json_shape_of(const Descriptor& message) {
  static ShapeBook book;
  return book.shape_of(message);
}

}  // namespace rescheduler::kube
