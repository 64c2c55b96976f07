// Takes out of a protobuf object, before it is parsed, what nobody will read: fields our types do not know, and the
// zeros that Go writes for every plain field that was never set. Parsing then makes no strings and no unknown-field
// sets only to throw them away, and stored objects are a third smaller.
//
// Never changed once made; any thread may use one.
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

  // What is left of the object; the lengths in it may be written longer than need be, which protobuf allows.
  // False: the bytes are broken, and `trimmed` is of no use.
  bool trim(std::string_view bytes, std::string& trimmed) const;

 private:
  friend class WireTrimBook;

  enum class Action : std::uint8_t { Drop, Keep, KeepUnlessZero, Descend };
  struct Field {
    Action action = Action::Drop;
    bool varint = false;  // numbers and flags; everything else has a length
    bool packable = false;
    const WireTrim* child = nullptr;
  };

  // Writes at `out`, which has room for all of `bytes`. Returns the end of what was written, null for broken bytes.
  char* trim_to(std::string_view bytes, char* out, int depth) const;
  char* descend(std::string_view whole_field,
                std::string_view content,
                std::size_t tag_size,
                char* out,
                int depth) const;

  std::vector<Field> fields_;  // by number
};

}  // namespace rescheduler::kube
