#include "kube/codec/codec.h"

#include "kube/codec/json.h"
#include "kube/codec/printable.h"
#include "kube/codec/protobuf.h"

namespace rescheduler::kube {

std::string encode(Encoding encoding, const google::protobuf::Message& object) {
  return encoding == Encoding::Protobuf ? encode_protobuf(object) : to_json(object);
}

Result<Decoded> decode(Encoding encoding,
                       std::string_view bytes,
                       google::protobuf::Message& into,
                       UnknownFields unknown) {
  return encoding == Encoding::Protobuf ? decode_protobuf(bytes, into, unknown) : decode_json(bytes, into, unknown);
}

Result<Encoding> encoding_of(std::string_view content_type) {
  std::string_view type = content_type.substr(0, content_type.find(';'));
  while (type.ends_with(' ')) type.remove_suffix(1);
  if (type == media_type(Encoding::Protobuf)) return Encoding::Protobuf;
  if (type == media_type(Encoding::Json)) return Encoding::Json;
  return fail(Errc::Unavailable, "the content type {} is neither {} nor {}: is this a Kubernetes API server?",
              printable(content_type), media_type(Encoding::Protobuf), media_type(Encoding::Json));
}

}  // namespace rescheduler::kube
