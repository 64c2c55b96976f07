// Splits the body of a watch into events as the bytes arrive.
//
// Protobuf: each frame is a four-byte big-endian length and a WatchEvent without envelope. JSON: consecutive objects,
// with or without newlines between them. Each byte is read once; only frames that span two chunks are copied.
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
  // etcd refuses objects above a few megabytes. A frame far larger than that means a broken stream.
  static constexpr std::size_t kLargestFrame = 64 * 1024 * 1024;

  explicit WatchFrames(Encoding encoding, std::size_t largest_frame = kLargestFrame)
      : encoding_(encoding), largest_frame_(largest_frame) {}

  // `bytes` must stay valid until next() has returned nullopt. Call feed() only then, or at the start.
  void feed(std::string_view bytes);

  // The next complete frame, or nullopt if more bytes are needed. A frame stays valid until the next call of feed() or
  // next(). After an error the stream is unusable: every further call returns the same error.
  Result<std::optional<std::string_view>> next();

  // At the end of the stream: true if an incomplete frame is left.
  bool is_mid_frame() const { return !pending_.empty() || header_size_ != 0 || depth_ != 0; }

 private:
  using Next = Result<std::optional<std::string_view>>;

  Next next_protobuf();
  Next next_json();
  // True if the JSON object in progress ends in input_. `end` is then one past its last byte.
  bool scan_json(std::size_t& end);
  Next complete(std::size_t end);
  Next broken(Error error);

  Encoding encoding_;
  std::size_t largest_frame_;
  std::string_view input_;     // bytes that no frame has used yet
  std::string pending_;        // the beginning of an incomplete frame
  bool pending_done_ = false;  // pending_ was returned as a frame and is cleared at the next call
  std::optional<Error> error_;

  // Protobuf: the bytes of the length that have arrived.
  std::array<unsigned char, 4> header_{};
  std::size_t header_size_ = 0;
  // JSON: the state of the scan within the object.
  std::size_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace rescheduler::kube
