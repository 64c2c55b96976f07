// Cuts the body of a watch into events as the bytes arrive.
//
// Protobuf: each frame is a four-byte big-endian length and a bare WatchEvent. JSON: one object after another, with
// or without newlines between. Each byte is looked at once; only frames that straddle two chunks are copied.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/codec/decoded.h"

namespace rescheduler::kube {

class WatchFrames {
 public:
  // etcd refuses objects above a few megabytes; far more than that is not an event but a broken stream.
  static constexpr std::size_t kLargestFrame = 64 * 1024 * 1024;

  explicit WatchFrames(Encoding encoding, std::size_t largest_frame = kLargestFrame)
      : encoding_(encoding), largest_frame_(largest_frame) {}

  // `bytes` must stay where they are until next() has answered "no more". Call it only then, or at the start.
  void feed(std::string_view bytes);

  // The next complete frame, or nullopt when more bytes are needed. A frame stays valid until the next call of
  // either function. After an error the stream is lost: every further call repeats the error.
  Result<std::optional<std::string_view>> next();

  // At the end of the stream: is anything left that never became a frame?
  bool is_mid_frame() const { return !pending_.empty() || header_size_ != 0 || depth_ != 0; }

 private:
  using Next = Result<std::optional<std::string_view>>;

  Next next_protobuf();
  Next next_json();
  // Has the JSON object that began earlier ended? Then `end` is one past its last byte in input_.
  bool scan_json(std::size_t& end);
  Next complete(std::size_t end);
  Next broken(Error error);

  Encoding encoding_;
  std::size_t largest_frame_;
  std::string_view input_;     // not yet handed out
  std::string pending_;        // the beginning of a frame whose rest has not come
  bool pending_done_ = false;  // pending_ was handed out and goes at the next call
  std::optional<Error> error_;

  // Protobuf: the length, as far as it has come.
  std::array<unsigned char, 4> header_{};
  std::size_t header_size_ = 0;
  // JSON: where in the object the scan stands.
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace rescheduler::kube
