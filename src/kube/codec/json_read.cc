// Decodes JSON into messages. Each reading function records a fault and returns false. While the calls return, each
// level prepends its step to the path of the fault, so that valid input has no cost for paths.
#include <limits>
#include <memory>
#include <utility>

#include <boost/json/monotonic_resource.hpp>
#include <boost/json/serialize.hpp>
#include <google/protobuf/message.h>

#include "kube/codec/json.h"
#include "kube/codec/json_scalars.h"
#include "kube/codec/json_shape.h"
#include "kube/codec/json_text.h"
#include "kube/codec/json_value.h"
#include "kube/codec/map_fields.h"
#include "kube/codec/printable.h"
#include "kube/proto/meta.pb.h"
#include "kube/value/base64.h"
#include "kube/value/duration.h"
#include "kube/value/time.h"

namespace rescheduler::kube {
namespace {

namespace json = boost::json;
using google::protobuf::FieldDescriptor;
using google::protobuf::MapValueRef;
using google::protobuf::Message;
using google::protobuf::Reflection;

std::string_view view(const json::string& text) { return {text.data(), text.size()}; }
std::string_view view(json::string_view text) { return {text.data(), text.size()}; }

// "string "http"", "number 1.5", "an array"
std::string describe(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null: return "null";
    case json::kind::array: return "an array";
    case json::kind::object: return "an object";
    case json::kind::bool_: return value.get_bool() ? "true" : "false";
    case json::kind::string: return "string " + printable(view(value.get_string()));
    default: return "number " + json::serialize(value);
  }
}

// The destination of a decoded scalar: a field, the end of a repeated field, or a map entry.
struct SetField {
  Message& message;
  const FieldDescriptor* field;
  void operator()(bool v) const { message.GetReflection()->SetBool(&message, field, v); }
  void operator()(std::int32_t v) const { message.GetReflection()->SetInt32(&message, field, v); }
  void operator()(std::int64_t v) const { message.GetReflection()->SetInt64(&message, field, v); }
  void operator()(std::string v) const { message.GetReflection()->SetString(&message, field, std::move(v)); }
};
struct AddToField {
  Message& message;
  const FieldDescriptor* field;
  void operator()(bool v) const { message.GetReflection()->AddBool(&message, field, v); }
  void operator()(std::int32_t v) const { message.GetReflection()->AddInt32(&message, field, v); }
  void operator()(std::int64_t v) const { message.GetReflection()->AddInt64(&message, field, v); }
  void operator()(std::string v) const { message.GetReflection()->AddString(&message, field, std::move(v)); }
};
struct SetMapValue {
  MapValueRef value;
  void operator()(bool v) { value.SetBoolValue(v); }
  void operator()(std::int32_t v) { value.SetInt32Value(v); }
  void operator()(std::int64_t v) { value.SetInt64Value(v); }
  void operator()(const std::string& v) { value.SetStringValue(v); }
};

class JsonReader {
 public:
  explicit JsonReader(UnknownFields unknown) : unknown_(unknown) {}

  bool read_message(const json::value& value, const JsonShape& shape, Message& into);

  Error take_error() && {
    if (path_.empty()) return Error{Errc::Invalid, std::move(why_)};
    return Error{Errc::Invalid, path_ + ": " + why_};
  }

 private:
  bool read_object(const json::value& value, const JsonShape& shape, Message& into);
  bool read_type_meta(std::string_view name, const json::value& value, const ResourceType& type);
  bool read_field(const json::value& value, const JsonField& field, Message& into);
  bool read_array(const json::value& value, const JsonField& field, Message& into);
  bool read_map(const json::value& value, const JsonField& field, Message& into);
  template <class Sink>
  bool read_scalar(const json::value& value, const FieldDescriptor& field, Sink&& sink);
  bool read_integer(const json::value& value, std::int64_t lowest, std::int64_t highest, std::int64_t& number);

  bool read_quantity(const json::value& value, api::Quantity& into);
  bool read_int_or_string(const json::value& value, api::IntOrString& into);
  template <class T>
  bool read_time(const json::value& value, std::int32_t precision_nanos, T& into);
  bool read_duration(const json::value& value, api::Duration& into);

  bool mismatch(std::string_view expected, const json::value& got) {
    return wrong(fmt::format("expected {}, got {}", expected, describe(got)));
  }
  bool wrong(std::string why) {
    why_ = std::move(why);
    return false;
  }
  bool under(std::string_view step) {
    path_ = path_.empty() || path_.starts_with('[') ? std::string(step) + path_ : std::string(step) + '.' + path_;
    return false;
  }

  UnknownFields unknown_;
  std::string path_;
  std::string why_;
};

bool JsonReader::read_message(const json::value& value, const JsonShape& shape, Message& into) {
  switch (shape.form) {
    case api::OBJECT: return read_object(value, shape, into);
    case api::QUANTITY: return read_quantity(value, static_cast<api::Quantity&>(into));
    case api::TIME: return read_time(value, 1'000'000'000, static_cast<api::Time&>(into));
    case api::MICRO_TIME: return read_time(value, 1000, static_cast<api::MicroTime&>(into));
    case api::DURATION: return read_duration(value, static_cast<api::Duration&>(into));
    case api::INT_OR_STRING: return read_int_or_string(value, static_cast<api::IntOrString&>(into));
    case api::RAW: static_cast<api::RawExtension&>(into).set_raw(json::serialize(value)); return true;
    case api::LIST: return read_array(value, shape.fields.front(), into);
  }
  return wrong("this kind of field is not supported");
}

bool JsonReader::read_object(const json::value& value, const JsonShape& shape, Message& into) {
  const json::object* object = value.if_object();
  if (object == nullptr) return mismatch("an object", value);
  for (const auto& [key, member] : *object) {
    const std::string_view name = view(key);
    if (const JsonField* field = shape.find(name)) {
      if (!member.is_null() && !read_field(member, *field, into)) return under(name);
    } else if (shape.resource != nullptr && (name == "apiVersion" || name == "kind")) {
      if (!read_type_meta(name, member, *shape.resource)) return under(name);
    } else if (unknown_ == UnknownFields::Refuse) {
      (void)wrong(fmt::format("{} has no such field", shape.message->name()));
      return under(name);
    }
  }
  return true;
}

bool JsonReader::read_type_meta(std::string_view name, const json::value& value, const ResourceType& type) {
  if (value.is_null()) return true;
  const json::string* text = value.if_string();
  if (text == nullptr) return mismatch("a string", value);
  if (text->empty() || (name == "apiVersion" && type.any_version)) return true;
  const std::string expected = name == "kind" ? std::string(type.kind) : type.api_version();
  return view(*text) == expected || mismatch(printable(expected), value);
}

bool JsonReader::read_field(const json::value& value, const JsonField& field, Message& into) {
  Message& owner =
      field.inlined_from == nullptr ? into : *into.GetReflection()->MutableMessage(&into, field.inlined_from);
  if (field.field->is_map()) return read_map(value, field, owner);
  if (field.field->is_repeated()) return read_array(value, field, owner);
  if (field.child == nullptr) return read_scalar(value, *field.field, SetField{owner, field.field});
  return read_message(value, *field.child, *owner.GetReflection()->MutableMessage(&owner, field.field));
}

// A null element of a list or map is the zero value, as in Go.
bool JsonReader::read_array(const json::value& value, const JsonField& field, Message& into) {
  const json::array* array = value.if_array();
  if (array == nullptr) return mismatch("an array", value);
  for (std::size_t i = 0; i < array->size(); ++i) {
    const json::value& element = (*array)[i];
    const bool read = field.child == nullptr ? read_scalar(element, *field.field, AddToField{into, field.field}) : [&] {
      Message& added = *into.GetReflection()->AddMessage(&into, field.field);
      return element.is_null() || read_message(element, *field.child, added);
    }();
    if (!read) return under(fmt::format("[{}]", i));
  }
  return true;
}

bool JsonReader::read_map(const json::value& value, const JsonField& field, Message& into) {
  const json::object* object = value.if_object();
  if (object == nullptr) return mismatch("an object", value);
  for (const auto& [key, member] : *object) {
    MapValueRef entry = map_value(into, *field.field, std::string(view(key)));
    const bool read = field.child == nullptr
                          ? read_scalar(member, field.value_field(), SetMapValue{entry})
                          : member.is_null() || read_message(member, *field.child, *entry.MutableMessageValue());
    if (!read) return under(fmt::format("[{}]", printable(view(key))));
  }
  return true;
}

bool JsonReader::read_integer(const json::value& value,
                              std::int64_t lowest,
                              std::int64_t highest,
                              std::int64_t& number) {
  if (!value.is_number()) return mismatch("a number", value);
  if (value.is_double()) return mismatch("a whole number", value);
  if (value.is_uint64() || value.get_int64() < lowest || value.get_int64() > highest) {
    return wrong(fmt::format("{} is out of range: {} to {} is allowed", json::serialize(value), lowest, highest));
  }
  number = value.get_int64();
  return true;
}

template <class Sink>
bool JsonReader::read_scalar(const json::value& value, const FieldDescriptor& field, Sink&& sink) {
  std::int64_t number = 0;
  switch (field.type()) {
    case FieldDescriptor::TYPE_BOOL:
      if (!value.is_bool() && !value.is_null()) return mismatch("true or false", value);
      sink(value.is_bool() && value.get_bool());
      return true;
    case FieldDescriptor::TYPE_INT32: {
      using Limits = std::numeric_limits<std::int32_t>;
      if (!value.is_null() && !read_integer(value, Limits::min(), Limits::max(), number)) return false;
      sink(static_cast<std::int32_t>(number));
      return true;
    }
    case FieldDescriptor::TYPE_INT64: {
      using Limits = std::numeric_limits<std::int64_t>;
      if (!value.is_null() && !read_integer(value, Limits::min(), Limits::max(), number)) return false;
      sink(number);
      return true;
    }
    case FieldDescriptor::TYPE_STRING:
      if (!value.is_string() && !value.is_null()) return mismatch("a string", value);
      sink(value.is_string() ? std::string(view(value.get_string())) : std::string());
      return true;
    case FieldDescriptor::TYPE_BYTES: {
      if (!value.is_string() && !value.is_null()) return mismatch("a base64 string", value);
      auto bytes = base64_decode(value.is_string() ? view(value.get_string()) : std::string_view());
      if (!bytes) return wrong("this string is not base64");  // not quoted: it may be a secret
      sink(std::move(*bytes));
      return true;
    }
    default: return wrong("this type of field is not supported");
  }
}

bool JsonReader::read_quantity(const json::value& value, api::Quantity& into) {
  if (const json::string* text = value.if_string()) {
    into.set_string(text->data(), text->size());
  } else if (value.is_double()) {
    into.set_string(fmt::format("{}", value.get_double()));
  } else if (value.is_number()) {
    into.set_string(json::serialize(value));
  } else {
    return mismatch("a quantity", value);
  }
  return true;
}

bool JsonReader::read_int_or_string(const json::value& value, api::IntOrString& into) {
  if (const json::string* text = value.if_string()) {
    into.set_type(1);
    into.set_str_val(text->data(), text->size());
    return true;
  }
  if (!value.is_number()) return mismatch("a number or a string", value);
  using Limits = std::numeric_limits<std::int32_t>;
  std::int64_t number = 0;
  if (!read_integer(value, Limits::min(), Limits::max(), number)) return false;
  into.set_type(0);
  into.set_int_val(static_cast<std::int32_t>(number));
  return true;
}

template <class T>
bool JsonReader::read_time(const json::value& value, std::int32_t precision_nanos, T& into) {
  const json::string* text = value.if_string();
  if (text == nullptr) return mismatch("an RFC 3339 time", value);
  const auto time = parse_unix_time(view(*text));
  if (!time) return mismatch("an RFC 3339 time", value);
  into.set_seconds(time->seconds);
  const std::int32_t nanos = time->nanoseconds / precision_nanos * precision_nanos;
  if (nanos != 0) into.set_nanos(nanos);
  return true;
}

bool JsonReader::read_duration(const json::value& value, api::Duration& into) {
  const json::string* text = value.if_string();
  if (text == nullptr) return mismatch("a duration such as \"30s\"", value);
  const auto duration = parse_duration(view(*text));
  if (!duration) return mismatch("a duration such as \"30s\"", value);
  into.set_duration(duration->count());
  return true;
}

bool is_status(const json::value& value) {
  const json::object* object = value.if_object();
  const json::value* kind = object == nullptr ? nullptr : object->if_contains("kind");
  return kind != nullptr && kind->is_string() && view(kind->get_string()) == "Status";
}

}  // namespace

Result<void> from_json_value(const json::value& value, Message& into, UnknownFields unknown) {
  const std::unique_ptr<Message> fresh(into.New());
  JsonReader reader(unknown);
  if (!reader.read_message(value, json_shape_of(*into.GetDescriptor()), *fresh)) {
    return fail(std::move(reader).take_error());
  }
  into.GetReflection()->Swap(&into, fresh.get());
  return {};
}

Result<Decoded> decode_json_value(const json::value& value, Message& into, UnknownFields unknown) {
  if (is_status(value) && into.GetDescriptor() != api::Status::descriptor()) {
    auto status = std::make_shared<api::Status>();
    auto read = from_json_value(value, *status, unknown);
    if (!read) return fail(std::move(read.error()));
    return Decoded{std::move(status)};
  }
  auto read = from_json_value(value, into, unknown);
  if (!read) return fail(std::move(read.error()));
  return Decoded{};
}

Result<void> from_json(std::string_view text, Message& into, UnknownFields unknown) {
  json::monotonic_resource memory;
  auto value =
      parse_json(text, &memory, unknown == UnknownFields::Refuse ? DuplicateKeys::Refuse : DuplicateKeys::LastWins);
  if (!value) return fail(std::move(value.error()));
  return from_json_value(*value, into, unknown);
}

Result<Decoded> decode_json(std::string_view text, Message& into, UnknownFields unknown) {
  json::monotonic_resource memory;
  auto value =
      parse_json(text, &memory, unknown == UnknownFields::Refuse ? DuplicateKeys::Refuse : DuplicateKeys::LastWins);
  if (!value) return fail(std::move(value.error()));
  return decode_json_value(*value, into, unknown);
}

}  // namespace rescheduler::kube
