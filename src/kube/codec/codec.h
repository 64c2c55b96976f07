// Objects to bytes and back, in whichever encoding was agreed on.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/codec/decoded.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

std::string encode(Encoding encoding, const google::protobuf::Message& object);
Result<Decoded> decode(Encoding encoding,
                       std::string_view bytes,
                       google::protobuf::Message& into,
                       UnknownFields unknown);

// What a Content-Type header says, parameters ignored; an error for anything that is neither.
Result<Encoding> encoding_of(std::string_view content_type);

}  // namespace rescheduler::kube
