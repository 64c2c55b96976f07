// Removes unused parts of a protobuf object before it is parsed: fields that the wire types do not have, and the zeros
// that Go writes for every unset plain field. The parser then does not create strings and unknown-field sets that would
// be discarded at once. Stored objects are a third smaller.
//
// A WireTrim is immutable; all threads may use it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace google::protobuf {
class Descriptor;
}  // namespace google::protobuf

namespace rescheduler::kube {

class WireTrim {
 public:
  static const WireTrim& of(const google::protobuf::Descriptor& message);

  // Writes the trimmed object. Its lengths may be encoded in more bytes than necessary, which protobuf allows.
  // False: the bytes are invalid, and `trimmed` is unusable.
  bool trim(std::string_view bytes, std::string& trimmed) const;

 private:
  friend class WireTrimBook;

  enum class Action : std::uint8_t { Drop, Keep, KeepUnlessZero, Descend };
  struct Field {
    Action action = Action::Drop;
    bool varint = false;  // numbers and booleans; all other types have a length
    bool packable = false;
    const WireTrim* child = nullptr;
  };

  // Writes to `out`, which has space for all of `bytes`. Returns the end of the written bytes, or null for invalid
  // bytes.
  char* trim_to(std::string_view bytes, char* out, int depth) const;
  char* descend(std::string_view whole_field,
                std::string_view content,
                std::size_t tag_size,
                char* out,
                int depth) const;

  std::vector<Field> fields_;  // indexed by field number
};

}  // namespace rescheduler::kube
