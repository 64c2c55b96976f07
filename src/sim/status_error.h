// An error of the embedded API server: the fields of a Kubernetes Status, before the Status is made.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <tl/expected.hpp>

#include "base/error.h"

namespace rescheduler::api {
class Status;
}  // namespace rescheduler::api

namespace rescheduler::sim {

struct Kind;

// One fault of an invalid object, as in Status.details.causes.
struct Cause {
  std::string reason;   // FieldValueRequired, FieldValueInvalid, FieldValueNotSupported, FieldValueForbidden, ...
  std::string message;  // 'Invalid value: "x": must be ...'
  std::string field;    // spec.containers[0].name
};

struct StatusError {
  int code = 500;      // HTTP status code
  std::string reason;  // NotFound, Conflict, Invalid, ...
  std::string message;
  std::string group{}, kind{}, name{}, uid{};  // details; `kind` is the plural for most reasons, as in Kubernetes
  std::vector<Cause> causes{};
  std::optional<int> retry_after_seconds{};
};

template <class T>
using ApiResult = tl::expected<T, StatusError>;
[[nodiscard]] inline tl::unexpected<StatusError> refuse(StatusError refusal) {
  return tl::unexpected<StatusError>(std::move(refusal));
}

// The errors of apimachinery's errors package, with the same messages.
StatusError not_found(const Kind& kind, std::string_view name);
StatusError already_exists(const Kind& kind, std::string_view name);
StatusError conflict(const Kind& kind, std::string_view name, std::string_view why);
StatusError invalid(const Kind& kind, std::string_view name, std::vector<Cause> causes);
StatusError forbidden(const Kind& kind, std::string_view name, std::string_view why);
StatusError bad_request(std::string_view why);
StatusError expired(std::string_view why);  // 410 Expired: the client must list again
StatusError too_many_requests(std::string_view why, int retry_after_seconds);
StatusError internal_error(std::string_view why);
StatusError method_not_supported(const Kind& kind, std::string_view verb);
StatusError unsupported_media_type(std::string_view why);

api::Status to_status(const StatusError& refusal);
// The error that the product's client makes from this Status when it arrives over HTTP. `where` is describe(call).
Error to_error(const StatusError& refusal, std::string_view where);

}  // namespace rescheduler::sim
