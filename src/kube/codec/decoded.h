// Options and results of decoding, for both encodings.
#pragma once

#include <memory>
#include <string_view>

namespace rescheduler::api {
class Status;
}  // namespace rescheduler::api

namespace rescheduler::kube {

enum class Encoding { Protobuf, Json };

// For Accept and Content-Type.
constexpr std::string_view media_type(Encoding encoding) {
  return encoding == Encoding::Protobuf ? "application/vnd.kubernetes.protobuf" : "application/json";
}

// How decoding treats fields that the trimmed wire types do not have.
enum class UnknownFields {
  Drop,    // keeps stored objects small; also drops the zeros that Go writes for unset fields, like JSON
  Keep,    // read, modify, write loses nothing (protobuf only; JSON drops the fields)
  Refuse,  // an error that names the field (JSON only; protobuf drops it): for files written by users
};

// A server may answer any request with a Status instead of the requested object.
// Without a status, the object was decoded into the caller's message.
struct Decoded {
  std::shared_ptr<const api::Status> status;

  bool is_status() const { return status != nullptr; }
};

}  // namespace rescheduler::kube
