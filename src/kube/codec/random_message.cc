#include "kube/codec/random_message.h"

#include <array>
#include <string>

#include <fmt/core.h>
#include <google/protobuf/message.h>
#include <google/protobuf/unknown_field_set.h>

#include "kube/codec/json_shape.h"
#include "kube/codec/map_fields.h"
#include "kube/proto/meta.pb.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

template <std::size_t N>
std::string pick(const std::array<const char*, N>& from, Rng& rng) {
  return from[rng.below(N)];
}

std::string random_string(Rng& rng) {
  constexpr std::array kPieces{
      "a",        "web",          "kube-system",      "\"",           "\\", "\n", "\t", "\x01", "/", "\x7f",
      "\xc3\xa9", "\xe4\xb8\xad", "\xf0\x9f\x98\x80", "\xef\xbf\xbd", " ",  "0"};
  std::string text = pick(kPieces, rng);
  for (std::uint64_t more = rng.below(4); more > 0; --more) text += pick(kPieces, rng);
  return text;
}

std::string random_bytes(Rng& rng) {
  std::string bytes(1 + rng.below(20), '\0');
  for (char& byte : bytes) byte = static_cast<char>(rng.next());
  return bytes;
}

// Every bit width is equally likely.
std::int64_t random_integer(Rng& rng, unsigned bits) {
  const auto value = static_cast<std::int64_t>(rng.next() >> (64 - bits) >> rng.below(bits));
  const std::int64_t signed_value = rng.below(4) == 0 ? -value : value;
  return signed_value == 0 ? 1 : signed_value;
}

std::int64_t random_seconds(Rng& rng) { return static_cast<std::int64_t>(rng.below(300'000'000'000)) - 60'000'000'000; }

bool fill_special(Message& message, const JsonShape& shape, Rng& rng) {
  switch (shape.form) {
    case api::QUANTITY:
      static_cast<api::Quantity&>(message).set_string(
          pick(std::array{"500m", "1Gi", "2", "0", "1.5", "-3k", "1e3", "100n"}, rng));
      return true;
    case api::TIME: static_cast<api::Time&>(message).set_seconds(random_seconds(rng)); return true;
    case api::MICRO_TIME: {
      auto& time = static_cast<api::MicroTime&>(message);
      time.set_seconds(random_seconds(rng));
      time.set_nanos(static_cast<std::int32_t>(1000 * (1 + rng.below(999'999))));
      return true;
    }
    case api::DURATION: static_cast<api::Duration&>(message).set_duration(random_integer(rng, 63)); return true;
    case api::INT_OR_STRING: {
      auto& either = static_cast<api::IntOrString&>(message);
      either.set_type(rng.below(2) == 0 ? 0 : 1);
      if (either.type() == 0) either.set_int_val(static_cast<std::int32_t>(random_integer(rng, 31)));
      if (either.type() == 1) either.set_str_val(pick(std::array{"25%", "http", "", "0"}, rng));
      return true;
    }
    case api::RAW:
      static_cast<api::RawExtension&>(message).set_raw(
          pick(std::array{"{}", "[1,2.5E0,\"x\"]", "{\"spec\":{\"a\":[true,{\"b\":null}]}}", "\"text\""}, rng));
      return true;
    default: return false;
  }
}

bool flip(Rng& rng, unsigned percent) { return rng.below(100) < percent; }

class Filler {
 public:
  Filler(Rng& rng, unsigned density) : rng_(rng), density_(density) {}

  // Near the root all fields are set; otherwise most objects would be empty.
  void fill(Message& message) {
    const JsonShape& shape = json_shape_of(*message.GetDescriptor());
    if (fill_special(message, shape, rng_)) return;
    const auto& type = *message.GetDescriptor();
    const unsigned density = depth_ == 0 ? 95 : depth_ == 1 ? 2 * density_ : density_;
    ++depth_;
    for (int i = 0; i < type.field_count(); ++i) {
      if (flip(rng_, density)) fill_field(message, *type.field(i));
    }
    --depth_;
  }

 private:
  void fill_field(Message& message, const FieldDescriptor& field) {
    const std::uint64_t count = 1 + rng_.below(3);
    if (field.is_map()) {
      for (std::uint64_t i = 0; i < count; ++i) fill_entry(message, field);
    } else if (field.is_repeated()) {
      for (std::uint64_t i = 0; i < count; ++i) add_element(message, field);
    } else {
      set_value(message, field);
    }
  }

  void fill_entry(Message& message, const FieldDescriptor& field) {
    auto entry = map_value(message, field, random_string(rng_));
    const FieldDescriptor& value = *field.message_type()->map_value();
    if (value.type() == FieldDescriptor::TYPE_MESSAGE) return fill(*entry.MutableMessageValue());
    entry.SetStringValue(value.type() == FieldDescriptor::TYPE_BYTES ? random_bytes(rng_) : random_string(rng_));
  }

  void add_element(Message& message, const FieldDescriptor& field) {
    const Reflection& to = *message.GetReflection();
    switch (field.type()) {
      case FieldDescriptor::TYPE_MESSAGE: return fill(*to.AddMessage(&message, &field));
      case FieldDescriptor::TYPE_BOOL: return to.AddBool(&message, &field, flip(rng_, 50));
      case FieldDescriptor::TYPE_INT32:
        return to.AddInt32(&message, &field, static_cast<std::int32_t>(random_integer(rng_, 31)));
      case FieldDescriptor::TYPE_INT64: return to.AddInt64(&message, &field, random_integer(rng_, 63));
      case FieldDescriptor::TYPE_BYTES: return to.AddString(&message, &field, random_bytes(rng_));
      default: return to.AddString(&message, &field, random_string(rng_));
    }
  }

  void set_value(Message& message, const FieldDescriptor& field) {
    const Reflection& to = *message.GetReflection();
    const bool zero = field.options().GetExtension(api::keep_zero) && flip(rng_, 20);
    switch (field.type()) {
      case FieldDescriptor::TYPE_MESSAGE: {
        Message& value = *to.MutableMessage(&message, &field);
        fill(value);
        // JSON cannot distinguish an inlined message without fields from an absent one.
        if (field.options().GetExtension(api::inline_) && value.ByteSizeLong() == 0) to.ClearField(&message, &field);
        return;
      }
      case FieldDescriptor::TYPE_BOOL: return to.SetBool(&message, &field, !zero);
      case FieldDescriptor::TYPE_INT32:
        return to.SetInt32(&message, &field, zero ? 0 : static_cast<std::int32_t>(random_integer(rng_, 31)));
      case FieldDescriptor::TYPE_INT64: return to.SetInt64(&message, &field, zero ? 0 : random_integer(rng_, 63));
      case FieldDescriptor::TYPE_BYTES:
        return to.SetString(&message, &field, zero ? std::string() : random_bytes(rng_));
      default: return to.SetString(&message, &field, zero ? std::string() : random_string(rng_));
    }
  }

  Rng& rng_;
  unsigned density_;
  int depth_ = 0;
};

// Visits a message and its nested messages, except those in maps.
template <class Visit>
void visit_all(Message& message, const Visit& visit) {
  const auto& type = *message.GetDescriptor();
  const Reflection& in = *message.GetReflection();
  for (int i = 0; i < type.field_count(); ++i) {
    const FieldDescriptor* field = type.field(i);
    if (field->is_map() || field->type() != FieldDescriptor::TYPE_MESSAGE) continue;
    if (!field->is_repeated() && in.HasField(message, field)) visit_all(*in.MutableMessage(&message, field), visit);
    for (int k = 0; field->is_repeated() && k < in.FieldSize(message, field); ++k) {
      visit_all(*in.MutableRepeatedMessage(&message, field, k), visit);
    }
  }
  visit(message);
}

void set_zero(Message& message, const FieldDescriptor& field) {
  const Reflection& to = *message.GetReflection();
  switch (field.type()) {
    case FieldDescriptor::TYPE_BOOL: return to.SetBool(&message, &field, false);
    case FieldDescriptor::TYPE_INT32: return to.SetInt32(&message, &field, 0);
    case FieldDescriptor::TYPE_INT64: return to.SetInt64(&message, &field, 0);
    case FieldDescriptor::TYPE_MESSAGE: return;
    default: return to.SetString(&message, &field, "");
  }
}

}  // namespace

void add_go_zeros(Message& root) {
  visit_all(root, [](Message& message) {
    if (json_shape_of(*message.GetDescriptor()).form != api::OBJECT) return;
    const auto& type = *message.GetDescriptor();
    for (int i = 0; i < type.field_count(); ++i) {
      const FieldDescriptor& field = *type.field(i);
      const bool pointer = field.options().GetExtension(api::keep_zero);
      if (field.is_repeated() || pointer || message.GetReflection()->HasField(message, &field)) continue;
      set_zero(message, field);
    }
  });
}

void add_unknown_fields(Message& root, Rng& rng) {
  visit_all(root, [&rng](Message& message) {
    auto& unknown = *message.GetReflection()->MutableUnknownFields(&message);
    if (flip(rng, 50)) unknown.AddLengthDelimited(600)->assign(random_bytes(rng));
    if (flip(rng, 50)) unknown.AddVarint(601, rng.next());
    if (flip(rng, 20)) unknown.AddFixed64(602, rng.next());
    if (flip(rng, 20)) unknown.AddFixed32(603, 7);
  });
}

void fill_randomly(Message& message, Rng& rng, unsigned density) { Filler(rng, density).fill(message); }

}  // namespace rescheduler::kube
