// The protobuf encoding of API objects: four magic bytes, then an envelope that names the type, then the object.
//
// Decoding treats its input as hostile: bad bytes give an error that says where, and leave the target as it was.
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

// Object and envelope; apiVersion and kind come from the message's (resource) option. Equal messages give equal bytes.
std::string encode_protobuf(const google::protobuf::Message& object);

// `into` receives the object, or stays as it was when the bytes hold a Status or cannot be read.
Result<Decoded> decode_protobuf(std::string_view bytes, google::protobuf::Message& into, UnknownFields unknown);

// An object without envelope, as items of lists are. No Status can stand in its place.
Result<void> decode_bare(std::string_view bytes, google::protobuf::Message& into, UnknownFields unknown);
std::string encode_bare(const google::protobuf::Message& object);

// The envelope taken apart; the views point into the bytes given.
struct Envelope {
  std::string_view api_version;
  std::string_view kind;
  std::string_view raw;
};
Result<Envelope> open_envelope(std::string_view bytes);

bool has_protobuf_magic(std::string_view bytes);

}  // namespace rescheduler::kube
