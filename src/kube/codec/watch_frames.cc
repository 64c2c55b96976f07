#include "kube/codec/watch_frames.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kube/codec/printable.h"

namespace rescheduler::kube {
namespace {

constexpr std::string_view kJsonSpace = " \t\r\n";

}  // namespace

void WatchFrames::feed(std::string_view bytes) {
  RESCHEDULER_CHECK(input_.empty(), "feed() was called before next() had answered 'no more'");
  input_ = bytes;
}

WatchFrames::Next WatchFrames::next() {
  if (error_) return fail(*error_);
  if (pending_done_) {
    pending_.clear();
    pending_done_ = false;
  }
  return encoding_ == Encoding::Protobuf ? next_protobuf() : next_json();
}

WatchFrames::Next WatchFrames::broken(Error error) {
  error_ = std::move(error);
  input_ = {};
  return fail(*error_);
}

// The frame is pending_ followed by input_ up to `end`.
WatchFrames::Next WatchFrames::complete(std::size_t end) {
  const std::string_view last = input_.substr(0, end);
  input_.remove_prefix(end);
  if (pending_.empty()) return last;
  pending_ += last;
  pending_done_ = true;
  return std::string_view(pending_);
}

WatchFrames::Next WatchFrames::next_protobuf() {
  while (header_size_ < header_.size()) {
    if (input_.empty()) return std::nullopt;
    header_[header_size_++] = static_cast<unsigned char>(input_.front());
    input_.remove_prefix(1);
  }
  std::size_t length = 0;
  for (const unsigned char byte : header_) length = length << 8 | byte;
  if (length > largest_frame_) {
    return broken(Error{Errc::Invalid, fmt::format("a watch frame claims to have {} bytes, more than the limit of {}",
                                                   length, largest_frame_)});
  }
  const std::size_t missing = length - pending_.size();
  if (input_.size() < missing) {
    pending_ += std::exchange(input_, {});
    return std::nullopt;
  }
  header_size_ = 0;
  return complete(missing);
}

bool WatchFrames::scan_json(std::size_t& end) {
  for (std::size_t i = 0; i < input_.size(); ++i) {
    const char c = input_[i];
    if (in_string_) {
      if (escaped_) {
        escaped_ = false;
      } else if (c == '\\') {
        escaped_ = true;
      } else if (c == '"') {
        in_string_ = false;
      }
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      ++depth_;
    } else if ((c == '}' || c == ']') && --depth_ == 0) {
      end = i + 1;
      return true;
    }
  }
  return false;
}

WatchFrames::Next WatchFrames::next_json() {
  if (depth_ == 0) {
    input_.remove_prefix(std::min(input_.find_first_not_of(kJsonSpace), input_.size()));
    if (input_.empty()) return std::nullopt;
    if (input_.front() != '{') {
      return broken(
          Error{Errc::Invalid,
                fmt::format("a watch event must be a JSON object, but the stream goes on with {}", printable(input_))});
    }
  }
  std::size_t end = 0;
  const bool whole = scan_json(end);
  const std::size_t size = pending_.size() + (whole ? end : input_.size());
  if (size > largest_frame_) {
    return broken(
        Error{Errc::Invalid, fmt::format("a watch event is longer than the limit of {} bytes", largest_frame_)});
  }
  if (whole) return complete(end);
  pending_ += std::exchange(input_, {});
  return std::nullopt;
}

}  // namespace rescheduler::kube
