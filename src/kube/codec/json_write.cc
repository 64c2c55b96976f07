// Encodes messages as JSON.
#include <algorithm>
#include <array>
#include <charconv>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/json_scalars.h"
#include "kube/codec/json_shape.h"
#include "kube/codec/json_text.h"
#include "kube/codec/map_fields.h"
#include "kube/codec/protobuf.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/base64.h"
#include "kube/value/duration.h"
#include "kube/value/time.h"

namespace rescheduler::kube {
namespace {

namespace json = boost::json;
using google::protobuf::FieldDescriptor;
using google::protobuf::MapValueConstRef;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Limits raw objects nested in raw objects. Real objects have one level.
constexpr int kDeepestRaw = 4;

// One scalar from a field, a list or a map. `text` points into the message.
struct Scalar {
  FieldDescriptor::Type type = FieldDescriptor::TYPE_STRING;
  std::int64_t number = 0;
  std::string_view text{};

  bool is_zero() const { return number == 0 && text.empty(); }
};

Scalar scalar_of(const Message& message, const FieldDescriptor& field) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL: return {field.type(), reflection.GetBool(message, &field)};
    case FieldDescriptor::CPPTYPE_INT32: return {field.type(), reflection.GetInt32(message, &field)};
    case FieldDescriptor::CPPTYPE_INT64: return {field.type(), reflection.GetInt64(message, &field)};
    default: break;
  }
  std::string unused;  // used only for string types other than std::string, which C++ protobuf does not have
  return {field.type(), 0, reflection.GetStringReference(message, &field, &unused)};
}

Scalar element_of(const Message& message, const FieldDescriptor& field, int index) {
  const Reflection& reflection = *message.GetReflection();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL: return {field.type(), reflection.GetRepeatedBool(message, &field, index)};
    case FieldDescriptor::CPPTYPE_INT32: return {field.type(), reflection.GetRepeatedInt32(message, &field, index)};
    case FieldDescriptor::CPPTYPE_INT64: return {field.type(), reflection.GetRepeatedInt64(message, &field, index)};
    default: break;
  }
  std::string unused;
  return {field.type(), 0, reflection.GetRepeatedStringReference(message, &field, index, &unused)};
}

Scalar entry_value(const MapValueConstRef& value, const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_BOOL: return {field.type(), value.GetBoolValue()};
    case FieldDescriptor::CPPTYPE_INT32: return {field.type(), value.GetInt32Value()};
    case FieldDescriptor::CPPTYPE_INT64: return {field.type(), value.GetInt64Value()};
    default: return {field.type(), 0, value.GetStringValue()};
  }
}

class JsonWriter {
 public:
  void write_message(const Message& message, const JsonShape& shape, bool with_type_meta);
  std::string take() && { return std::move(out_); }

 private:
  void write_fields(const Message& message, const JsonShape& shape);
  void write_field(const Message& message, const JsonField& field);
  void write_array(const Message& message, const JsonField& field);
  void write_map(const Message& message, const JsonField& field);
  void write_scalar(const Scalar& scalar);
  void write_raw(const std::string& raw);

  void string(std::string_view text) { append_json_string(out_, text); }
  void number(std::int64_t value) {
    std::array<char, 20> digits{};  // the length of the smallest int64
    out_.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
  }

  void open(char bracket) {
    out_ += bracket;
    ++depth_;
    first_ = true;
  }
  void close(char bracket) {
    --depth_;
    out_ += bracket;
    first_ = false;
  }
  void separate() {
    if (!first_) out_ += ',';
    first_ = false;
  }
  void key(std::string_view name) {
    separate();
    string(name);
    out_ += ':';
  }

  bool first_ = true;  // nothing has been written since the innermost opening bracket
  std::size_t depth_ = 0;
  int raw_depth_ = 0;
  std::string out_;
};

template <class T>
bool is_no_time(const T& time) {
  return !time.has_seconds() && !time.has_nanos();
}

bool stands_for_absence(const Message& message, const JsonShape& shape) {
  if (shape.form == api::TIME) return is_no_time(static_cast<const api::Time&>(message));
  if (shape.form == api::MICRO_TIME) return is_no_time(static_cast<const api::MicroTime&>(message));
  return false;
}

void JsonWriter::write_message(const Message& message, const JsonShape& shape, bool with_type_meta) {
  switch (shape.form) {
    case api::OBJECT:
      open('{');
      if (with_type_meta && shape.resource != nullptr) {
        key("apiVersion");
        string(shape.resource->api_version());
        key("kind");
        string(shape.resource->kind);
      }
      write_fields(message, shape);
      return close('}');
    case api::QUANTITY: {
      const auto& quantity = static_cast<const api::Quantity&>(message);
      return string(quantity.string().empty() ? "0" : quantity.string());
    }
    case api::TIME: {
      const auto& time = static_cast<const api::Time&>(message);
      if (is_no_time(time)) break;
      return string(format_unix_time({time.seconds(), time.nanos()}, TimePrecision::Seconds));
    }
    case api::MICRO_TIME: {
      const auto& time = static_cast<const api::MicroTime&>(message);
      if (is_no_time(time)) break;
      return string(format_unix_time({time.seconds(), time.nanos()}, TimePrecision::Micros));
    }
    case api::DURATION:
      return string(format_duration(std::chrono::nanoseconds{static_cast<const api::Duration&>(message).duration()}));
    case api::INT_OR_STRING: {
      const auto& either = static_cast<const api::IntOrString&>(message);
      return either.type() == 0 ? number(either.int_val()) : string(either.str_val());
    }
    case api::RAW: return write_raw(static_cast<const api::RawExtension&>(message).raw());
    case api::LIST: return write_array(message, shape.fields.front());
  }
  out_ += "null";
}

void JsonWriter::write_fields(const Message& message, const JsonShape& shape) {
  for (const JsonField& field : shape.fields) {
    if (field.inlined_from == nullptr) {
      write_field(message, field);
    } else if (message.GetReflection()->HasField(message, field.inlined_from)) {
      write_field(message.GetReflection()->GetMessage(message, field.inlined_from), field);
    }
  }
}

void JsonWriter::write_field(const Message& message, const JsonField& field) {
  const Reflection& reflection = *message.GetReflection();
  if (field.field->is_repeated()) {
    if (reflection.FieldSize(message, field.field) == 0 && !field.keep_zero) return;
    key(field.name());
    if (field.field->is_map()) return write_map(message, field);
    return write_array(message, field);
  }
  if (!reflection.HasField(message, field.field)) return;
  if (field.child == nullptr) {
    const Scalar scalar = scalar_of(message, *field.field);
    if (scalar.is_zero() && !field.keep_zero) return;
    key(field.name());
    return write_scalar(scalar);
  }
  const Message& value = reflection.GetMessage(message, field.field);
  if (stands_for_absence(value, *field.child)) return;
  key(field.name());
  write_message(value, *field.child, false);
}

void JsonWriter::write_array(const Message& message, const JsonField& field) {
  const Reflection& reflection = *message.GetReflection();
  const int size = reflection.FieldSize(message, field.field);
  open('[');
  for (int i = 0; i < size; ++i) {
    separate();
    if (field.child == nullptr) {
      write_scalar(element_of(message, *field.field, i));
    } else {
      write_message(reflection.GetRepeatedMessage(message, field.field, i), *field.child, false);
    }
  }
  close(']');
}

void JsonWriter::write_map(const Message& message, const JsonField& field) {
  open('{');
  for_each_entry(message, *field.field, [&](const std::string& name, const MapValueConstRef& value) {
    key(name);
    if (field.child == nullptr) {
      write_scalar(entry_value(value, field.value_field()));
    } else {
      write_message(value.GetMessageValue(), *field.child, false);
    }
  });
  close('}');
}

void JsonWriter::write_scalar(const Scalar& scalar) {
  switch (scalar.type) {
    case FieldDescriptor::TYPE_STRING: return string(scalar.text);
    case FieldDescriptor::TYPE_BYTES: return string(base64_encode(scalar.text));
    case FieldDescriptor::TYPE_BOOL: out_ += scalar.number != 0 ? "true" : "false"; return;
    default: return number(scalar.number);
  }
}

// Raw JSON is parsed and written again, so that invalid JSON never becomes part of the output. The raw object of a
// watch event is protobuf instead.
void JsonWriter::write_raw(const std::string& raw) {
  if (has_protobuf_magic(raw)) {
    const auto envelope = open_envelope(raw);
    const ResourceType* type = envelope ? find_type(envelope->api_version, envelope->kind) : nullptr;
    const auto object = type == nullptr ? nullptr : type->make();
    if (object != nullptr && raw_depth_ < kDeepestRaw && decode_bare(envelope->raw, *object, UnknownFields::Drop)) {
      ++raw_depth_;
      write_message(*object, json_shape_of(*object->GetDescriptor()), true);
      --raw_depth_;
      return;
    }
    out_ += "null";
    return;
  }
  json::monotonic_resource memory;
  // The output must be readable again, so its depth is limited too.
  const auto value = parse_json(raw, &memory, DuplicateKeys::LastWins, kDeepestJson - std::min(depth_, kDeepestJson));
  out_ += value ? json::serialize(*value) : "null";
}

}  // namespace

std::string to_json(const Message& object, const JsonStyle& style) {
  JsonWriter writer;
  writer.write_message(object, json_shape_of(*object.GetDescriptor()), style.with_type_meta);
  return std::move(writer).take();
}

}  // namespace rescheduler::kube
