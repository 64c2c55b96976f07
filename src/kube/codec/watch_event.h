// One event of a watch: what happened, and to which object. Reads the frames that WatchFrames cuts, and writes them.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/codec/decoded.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

enum class WatchEventType {
  Added,
  Modified,
  Deleted,
  Bookmark,  // the object holds nothing but a resourceVersion
  Error,     // there is a status and no object
};

std::string_view to_string(WatchEventType type);

struct WatchedEvent {
  WatchEventType type = WatchEventType::Error;
  std::shared_ptr<const api::Status> status;  // set exactly for Error
};

// `into` receives the object; it stays as it was for Error events and on failure.
Result<WatchedEvent> decode_watch_event(Encoding encoding,
                                        std::string_view frame,
                                        google::protobuf::Message& into,
                                        UnknownFields unknown);

// With its framing, ready for the wire.
std::string encode_watch_event(Encoding encoding, WatchEventType type, const google::protobuf::Message& object);

}  // namespace rescheduler::kube
