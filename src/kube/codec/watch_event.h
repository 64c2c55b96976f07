// One event of a watch: its type and its object. Decodes the frames that WatchFrames returns, and encodes them.
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
  Bookmark,  // the object has only a resourceVersion
  Error,     // the event has a status and no object
};

std::string_view to_string(WatchEventType type);

struct WatchedEvent {
  WatchEventType type = WatchEventType::Error;
  std::shared_ptr<const api::Status> status;  // set only for Error
};

// Replaces `into` with the object. `into` stays unchanged for Error events and on failure.
Result<WatchedEvent> decode_watch_event(Encoding encoding,
                                        std::string_view frame,
                                        google::protobuf::Message& into,
                                        UnknownFields unknown);

// The event with its framing, as sent to the client.
std::string encode_watch_event(Encoding encoding, WatchEventType type, const google::protobuf::Message& object);

}  // namespace rescheduler::kube
