#include "kube/codec/wire_trim.h"

#include <cstring>
#include <memory>
#include <mutex>
#include <unordered_map>

#include <google/protobuf/descriptor.h>

#include "kube/codec/wire.h"
#include "kube/proto/options.pb.h"

namespace rescheduler::kube {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// The default depth limit of protobuf.
constexpr int kMaxDepth = 100;

char* copy(std::string_view bytes, char* out) {
  std::memcpy(out, bytes.data(), bytes.size());
  return out + bytes.size();
}

// A varint of exactly `width` bytes.
void write_padded_varint(std::size_t value, std::size_t width, char* out) {
  for (std::size_t i = 0; i < width; ++i) {
    const unsigned more = i + 1 < width ? 0x80U : 0U;
    out[i] = static_cast<char>((value & 0x7fU) | more);
    value >>= 7;
  }
}

}  // namespace

class WireTrimBook {
 public:
  const WireTrim& find(const Descriptor& message) {
    const std::lock_guard lock(mutex_);
    return make(message);
  }

 private:
  // The type is added to the map before its fields are known, because a type can contain itself.
  WireTrim& make(const Descriptor& message) {
    auto& slot = made_[&message];
    if (slot) return *slot;
    slot = std::make_unique<WireTrim>();
    WireTrim& trim = *slot;
    // In a time or a map entry, zero is a normal value.
    const bool zeros_count =
        message.options().GetExtension(api::json_form) != api::OBJECT || message.options().map_entry();
    for (int i = 0; i < message.field_count(); ++i) {
      const FieldDescriptor& field = *message.field(i);
      const auto number = static_cast<std::size_t>(field.number());
      if (trim.fields_.size() <= number) trim.fields_.resize(number + 1);
      trim.fields_[number] = rule_for(field, zeros_count);
    }
    return trim;
  }

  WireTrim::Field rule_for(const FieldDescriptor& field, bool zeros_count) {
    WireTrim::Field rule;
    if (field.type() == FieldDescriptor::TYPE_MESSAGE) {
      rule.action = WireTrim::Action::Descend;
      rule.child = &make(*field.message_type());
      return rule;
    }
    const bool keep = zeros_count || field.is_repeated() || field.options().GetExtension(api::keep_zero);
    rule.action = keep ? WireTrim::Action::Keep : WireTrim::Action::KeepUnlessZero;
    rule.varint = field.type() != FieldDescriptor::TYPE_STRING && field.type() != FieldDescriptor::TYPE_BYTES;
    rule.packable = rule.varint && field.is_repeated();
    return rule;
  }

  std::mutex mutex_;
  std::unordered_map<const Descriptor*, std::unique_ptr<WireTrim>> made_;
};

const WireTrim& WireTrim::of(const Descriptor& message) {
  static WireTrimBook book;
  return book.find(message);
}

bool WireTrim::trim(std::string_view bytes, std::string& trimmed) const {
  trimmed.resize(bytes.size());
  const char* end = trim_to(bytes, trimmed.data(), 0);
  if (end == nullptr) return false;
  trimmed.resize(static_cast<std::size_t>(end - trimmed.data()));
  return true;
}

char* WireTrim::trim_to(std::string_view bytes, char* out, int depth) const {
  if (depth > kMaxDepth) return nullptr;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    if (field.number >= fields_.size()) continue;
    const Field& rule = fields_[field.number];
    if (rule.action == Action::Drop) continue;
    const bool has_length = field.type == WireType::Bytes;
    // Protobuf treats a field with another wire type than the declared one as unknown.
    if (rule.varint ? field.type != WireType::Varint && !(rule.packable && has_length) : !has_length) continue;
    if (rule.action == Action::KeepUnlessZero && field.value == 0) continue;
    const std::string_view whole = bytes.substr(field.begin, reader.offset() - field.begin);
    if (rule.action != Action::Descend) {
      out = copy(whole, out);
      continue;
    }
    out = rule.child->descend(whole, field.bytes, field.tag_size, out, depth + 1);
    if (out == nullptr) return nullptr;
  }
  return reader.fault() == nullptr ? out : nullptr;
}

// The new length is known only at the end. It fits, because it never needs more bytes than the old length.
char* WireTrim::descend(std::string_view whole_field,
                        std::string_view content,
                        std::size_t tag_size,
                        char* out,
                        int depth) const {
  const std::size_t header_size = whole_field.size() - content.size();
  char* const body = copy(whole_field.substr(0, header_size), out);
  char* const end = trim_to(content, body, depth);
  if (end == nullptr) return nullptr;
  write_padded_varint(static_cast<std::size_t>(end - body), header_size - tag_size, out + tag_size);
  return end;
}

}  // namespace rescheduler::kube
