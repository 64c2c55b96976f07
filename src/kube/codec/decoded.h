// What decoding can ask for and answer with, whatever the encoding.
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

// What becomes of fields our trimmed wire types do not know.
enum class UnknownFields {
  Drop,    // stored objects stay lean; zeros that mean "never set" go too, so has_x() says what JSON would show
  Keep,    // read, modify, write loses nothing (protobuf only; JSON drops them)
  Refuse,  // an error that names the field (JSON only; protobuf drops them): for files people write
};

// A server may answer any request with a Status instead of the object asked for.
// Without a status, the object was decoded into the message the caller gave.
struct Decoded {
  std::shared_ptr<const api::Status> status;

  bool is_status() const { return status != nullptr; }
};

}  // namespace rescheduler::kube
