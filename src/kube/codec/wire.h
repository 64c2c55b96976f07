// Walks the top-level fields of a protobuf message without parsing what they hold and without copying: for
// envelopes, lists and the search for the place where a message is broken. Groups are refused; Kubernetes has none.
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
  std::uint64_t value = 0;   // of a Varint, the length of Bytes
  std::string_view bytes{};  // the content of a Bytes field; empty for the others
  std::size_t begin = 0;     // where the field begins, with its tag
  std::size_t tag_size = 0;
  std::size_t offset = 0;  // where the content begins

  bool is_bytes(std::uint32_t wanted) const { return number == wanted && type == WireType::Bytes; }
};

class WireReader {
 public:
  explicit WireReader(std::string_view message) : message_(message) {}

  // False at the end, and at the first broken field: then fault() says what is wrong at offset().
  bool next(WireField& field);

  const char* fault() const { return fault_; }  // null: none
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

// For bytes that protobuf refused: the first broken place, as "at byte 812 (spec.containers[1].name): ...".
std::string describe_fault(std::string_view bytes, const google::protobuf::Descriptor& message);

}  // namespace rescheduler::kube
