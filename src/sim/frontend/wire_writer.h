// Writes protobuf by hand when the parts are already encoded: lists and watch events from stored objects, without
// decoding them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace rescheduler::sim {

class WireWriter {
 public:
  explicit WireWriter(std::size_t expected = 0) { out_.reserve(expected); }

  void bytes(unsigned number, std::string_view content) {
    begin_bytes(number, content.size());
    out_ += content;
  }
  // The content, of exactly this size, must follow.
  void begin_bytes(unsigned number, std::size_t size) {
    varint(number << 3U | 2U);
    varint(size);
  }
  void raw(std::string_view content) { out_ += content; }

  static std::size_t bytes_size(unsigned number, std::size_t content) {
    return varint_size(number << 3U | 2U) + varint_size(content) + content;
  }

  const std::string& text() const { return out_; }
  std::string take() { return std::move(out_); }

 private:
  static std::size_t varint_size(std::size_t value) {
    std::size_t size = 1;
    for (; value >= 0x80; value >>= 7U) ++size;
    return size;
  }
  void varint(std::size_t value) {
    for (; value >= 0x80; value >>= 7U) out_ += static_cast<char>((value & 0x7fU) | 0x80U);
    out_ += static_cast<char>(value);
  }

  std::string out_;
};

}  // namespace rescheduler::sim
