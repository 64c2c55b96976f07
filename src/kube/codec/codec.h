// Encodes and decodes objects in the negotiated encoding.
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

// The encoding in a Content-Type header, without its parameters. An error for other media types.
Result<Encoding> encoding_of(std::string_view content_type);

}  // namespace rescheduler::kube
