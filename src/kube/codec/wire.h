// Iterates over the top-level fields of a protobuf message without copying and without parsing their content. Used for
// envelopes, for lists, and to find the broken place of a message. Groups are refused: Kubernetes does not use them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace rescheduler::kube {

enum class WireType : std::uint8_t { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireType type = WireType::Varint;
  std::uint64_t value = 0;   // of a Varint; for Bytes the length
  std::string_view bytes{};  // the content of a Bytes field; empty for the others
  std::size_t begin = 0;     // position of the field, with its tag
  std::size_t tag_size = 0;
  std::size_t offset = 0;  // position of the content

  bool is_bytes(std::uint32_t wanted) const { return number == wanted && type == WireType::Bytes; }
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) : message_(message) {}

  // False at the end and at the first broken field. For a broken field, fault() describes the error at offset().
  bool next(WireField& field);

  const char* fault() const { return fault_; }  // null: no error
  std::size_t offset() const { return position_; }

 private:
  bool read_varint(std::uint64_t& value);
  bool read_content(WireField& field);
  bool skip(std::size_t count);
  bool broken(const char* why);

  std::string_view message_;
  std::size_t position_ = 0;
  const char* fault_ = nullptr;
};

// For bytes that protobuf rejected: the first broken position, as "at byte 812 (spec.containers[1].name): ...".
std::string describe_fault(std::string_view bytes, const google::protobuf::Descriptor& message);

}  // namespace rescheduler::kube
