// Bytes that have arrived and are not parsed yet, contiguous. Internal to net/.
//
// The buffer starts small, so that thousands of idle connections are cheap. It doubles while reads fill it, so that a
// busy stream is read in large parts.
#pragma once

#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace rescheduler::net {

class InputBuffer {
 public:
  static constexpr std::size_t kLeast = 8 * 1024;
  static constexpr std::size_t kMost = 64 * 1024;  // for one read; unparsed bytes make the buffer larger

  std::string_view unread() const { return std::string_view(bytes_.get() + begin_, end_ - begin_); }
  void consume(std::size_t count) { begin_ += count; }

  // The space for the next read.
  std::span<char> room() {
    const std::size_t kept = end_ - begin_;
    if (kept + wanted_ > capacity_) {
      capacity_ = kept + wanted_;
      auto larger = std::make_unique_for_overwrite<char[]>(capacity_);
      if (kept > 0) std::memcpy(larger.get(), bytes_.get() + begin_, kept);
      bytes_ = std::move(larger);
    } else if (begin_ > 0 && kept > 0) {
      std::memmove(bytes_.get(), bytes_.get() + begin_, kept);
    }
    begin_ = 0;
    end_ = kept;
    return std::span<char>(bytes_.get() + end_, wanted_);
  }

  // The last read filled `count` bytes of room().
  void commit(std::size_t count) {
    end_ += count;
    if (count == wanted_ && wanted_ < kMost) wanted_ *= 2;
  }

 private:
  std::unique_ptr<char[]> bytes_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t wanted_ = kLeast;
};

}  // namespace rescheduler::net
