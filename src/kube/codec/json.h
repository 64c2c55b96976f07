// The JSON encoding of API objects, by reflection, for every message type. It follows the conventions of Kubernetes:
// - unset fields are left out, null means unset, names are case-sensitive
// - quantities and times are strings, bytes are base64
// - inlined messages are flattened
// - the last of duplicate keys wins
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/codec/decoded.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

struct JsonStyle {
  bool with_type_meta = true;  // apiVersion and kind first, if the message is a resource
};

// Map keys are sorted, so equal messages give equal text. A RawExtension becomes null unless it holds JSON or an object
// of a known kind.
std::string to_json(const google::protobuf::Message& object, const JsonStyle& style = {});

// Replaces `into`, or leaves it unchanged on failure. A syntax error names line and column. Other errors name the
// field: "spec.containers[0].ports[1].containerPort: expected a number, got string "http"".
// apiVersion and kind may be absent; if present, they must be those of the message. With UnknownFields::Refuse, unknown
// fields and duplicate keys are errors. The syntax of quantities is not checked here.
Result<void> from_json(std::string_view text,
                       google::protobuf::Message& into,
                       UnknownFields unknown = UnknownFields::Drop);

// For answers of a server, which may contain a Status instead of the object.
Result<Decoded> decode_json(std::string_view text, google::protobuf::Message& into, UnknownFields unknown);

}  // namespace rescheduler::kube
