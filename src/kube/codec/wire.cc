#include "kube/codec/wire.h"

#include <map>

#include <fmt/core.h>
#include <google/protobuf/descriptor.h>

namespace rescheduler::kube {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// The default depth limit of protobuf.
constexpr int kMaxDepth = 100;

struct Fault {
  std::size_t offset = 0;
  std::string path;
  std::string why;
};

bool find_fault(std::string_view bytes, const Descriptor& message, std::size_t base, int depth, Fault& fault);

// True if the wire type fits the declared type. Protobuf treats a field with another wire type as unknown, not as an
// error.
bool holds_message(const FieldDescriptor& declared, const WireField& field) {
  return declared.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && field.type == WireType::Bytes;
}

bool find_fault_in_field(const WireField& field,
                         const FieldDescriptor& declared,
                         int index,
                         std::size_t base,
                         int depth,
                         Fault& fault) {
  if (!holds_message(declared, field)) return false;
  if (!find_fault(field.bytes, *declared.message_type(), base + field.offset, depth + 1, fault)) return false;
  std::string step(declared.json_name());
  if (declared.is_repeated() && !declared.is_map()) step += fmt::format("[{}]", index);
  if (fault.path.empty() || declared.is_map()) {
    fault.path = std::move(step);
  } else {
    fault.path = step + '.' + fault.path;
  }
  return true;
}

bool find_fault(std::string_view bytes, const Descriptor& message, std::size_t base, int depth, Fault& fault) {
  if (depth > kMaxDepth) {
    fault = Fault{base, {}, fmt::format("more than {} levels deep", kMaxDepth)};
    return true;
  }
  std::map<std::uint32_t, int> seen;
  WireReader reader(bytes);
  for (WireField field; reader.next(field);) {
    const FieldDescriptor* declared = message.FindFieldByNumber(static_cast<int>(field.number));
    if (declared == nullptr) continue;
    if (find_fault_in_field(field, *declared, seen[field.number]++, base, depth, fault)) return true;
  }
  if (reader.fault() == nullptr) return false;
  fault = Fault{base + reader.offset(), {}, reader.fault()};
  return true;
}

}  // namespace

bool WireReader::broken(const char* why) {
  fault_ = why;
  return false;
}

bool WireReader::read_varint(std::uint64_t& value) {
  constexpr std::size_t kMaxBytes = 10;
  value = 0;
  for (std::size_t i = 0; i < kMaxBytes; ++i) {
    if (position_ + i >= message_.size()) return broken("a number is cut short");
    const auto byte = static_cast<unsigned char>(message_[position_ + i]);
    value |= static_cast<std::uint64_t>(byte & 0x7fU) << (7 * i);
    if (byte < 0x80) {
      position_ += i + 1;
      return true;
    }
  }
  return broken("a number is longer than ten bytes");
}

bool WireReader::skip(std::size_t count) {
  if (count > message_.size() - position_) return broken("a field is cut short");
  position_ += count;
  return true;
}

bool WireReader::next(WireField& field) {
  if (fault_ != nullptr || position_ == message_.size()) return false;
  const std::size_t start = position_;
  std::uint64_t tag = 0;
  if (!read_varint(tag)) return false;
  const std::uint64_t number = tag >> 3;
  if (number == 0 || number > 0x1fffffff) {
    position_ = start;
    return broken("a field has an impossible number");
  }
  field = WireField{};
  field.number = static_cast<std::uint32_t>(number);
  field.type = static_cast<WireType>(tag & 7U);
  field.begin = start;
  field.tag_size = position_ - start;
  field.offset = position_;
  switch (tag & 7U) {
    case 0: return read_varint(field.value);
    case 1: return skip(8);
    case 5: return skip(4);
    case 2: return read_content(field);
    default: position_ = start; return broken("a field has a wire type that Kubernetes does not use");
  }
}

bool WireReader::read_content(WireField& field) {
  if (!read_varint(field.value)) return false;
  if (field.value > message_.size() - position_) {
    position_ = field.begin;
    return broken("a field claims to be longer than what is left");
  }
  field.offset = position_;
  field.bytes = message_.substr(position_, static_cast<std::size_t>(field.value));
  position_ += field.bytes.size();
  return true;
}

std::string describe_fault(std::string_view bytes, const Descriptor& message) {
  Fault fault;
  if (!find_fault(bytes, message, 0, 0, fault)) return "it is not well-formed";
  if (fault.path.empty()) return fmt::format("at byte {}: {}", fault.offset, fault.why);
  return fmt::format("at byte {} ({}): {}", fault.offset, fault.path, fault.why);
}

}  // namespace rescheduler::kube
