// The protobuf encoding of API objects: four magic bytes, then an envelope with the type, then the object.
//
// Decoding does not trust its input: invalid bytes give an error with the position and leave the target unchanged.
#pragma once

#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/codec/decoded.h"

namespace google::protobuf {
class Descriptor;
class Message;
}  // namespace google::protobuf

namespace rescheduler::kube {

// Writes envelope and object; apiVersion and kind come from the (resource) option. Equal messages give equal bytes.
std::string encode_protobuf(const google::protobuf::Message& object);

// Replaces `into`. `into` stays unchanged when the bytes contain a Status or cannot be decoded.
Result<Decoded> decode_protobuf(std::string_view bytes, google::protobuf::Message& into, UnknownFields unknown);

// An object without envelope, such as an item of a list. A Status cannot occur here.
Result<void> decode_bare(std::string_view bytes, google::protobuf::Message& into, UnknownFields unknown);
std::string encode_bare(const google::protobuf::Message& object);

// The parts of the envelope; the views point into the given bytes.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;
};
Result<Envelope> open_envelope(std::string_view bytes);

bool has_protobuf_magic(std::string_view bytes);

}  // namespace rescheduler::kube
