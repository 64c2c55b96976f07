// The JSON encoding of API objects, for every message type, by reflection and by Kubernetes' own conventions:
// unset fields are left out, null means unset, names are case-sensitive, quantities and times are strings,
// bytes are base64, inlined messages are flattened, and of duplicate keys the last wins.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/codec/decoded.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

enum class JsonLayout { Compact, Pretty };

struct JsonStyle {
  JsonLayout layout = JsonLayout::Compact;
  bool with_type_meta = true;  // apiVersion and kind first, if the message is a resource
};

// Map keys are sorted, so equal messages give equal text. A RawExtension that holds neither JSON nor an object of a
// known kind becomes null.
std::string to_json(const google::protobuf::Message& object, const JsonStyle& style = {});

// `into` is replaced, or left as it was on failure. Errors name the place: line and column where the text is not JSON,
// and "spec.containers[0].ports[1].containerPort: expected a number, got string "http"" where it does not fit.
// apiVersion and kind may be absent; if present they must be the message's own. With UnknownFields::Refuse, unknown
// fields and duplicate keys are errors. The syntax of quantities is not checked here.
Result<void> from_json(std::string_view text,
                       google::protobuf::Message& into,
                       UnknownFields unknown = UnknownFields::Drop);

// For answers of a server, which may hold a Status in place of the object.
Result<Decoded> decode_json(std::string_view text, google::protobuf::Message& into, UnknownFields unknown);

}  // namespace rescheduler::kube
