// Turns an HTTP answer into an object or a typed error. Pure.
#pragma once

#include <string_view>

#include "kube/client/api.h"
#include "kube/codec/decoded.h"
#include "net/http/http.h"

namespace rescheduler::api {
class Status;
}

namespace rescheduler::kube {

// The error of an answer with status 400 and above. `where` is describe(call).
Error error_from_response(int http_status, const net::Headers& headers, std::string_view body, std::string_view where);

// The same for a Status object of a watch.
Error error_from_status(const api::Status& status, std::string_view where);

// Decodes the object by the Content-Type of the answer.
Result<void> decode_object(std::string_view content_type, std::string_view body, Message& into, UnknownFields unknown);

}  // namespace rescheduler::kube
