// From an HTTP answer to an object or a typed error. Pure.
#pragma once

#include <string_view>

#include "kube/client/api.h"
#include "kube/codec/decoded.h"
#include "net/http/http.h"

namespace rescheduler::api {
class Status;
}

namespace rescheduler::kube {

// What a refusal (status 400 and above) means. `where` is describe(call).
Error error_from_response(int http_status, const net::Headers& headers, std::string_view body, std::string_view where);

// The same for a Status object that came inside a watch.
Error error_from_status(const api::Status& status, std::string_view where);

// Reads the object by the answer's own media type.
Result<void> decode_object(std::string_view content_type, std::string_view body, Message& into, UnknownFields unknown);

}  // namespace rescheduler::kube
