// Builds the HTTP request of an ApiCall. Pure.
#pragma once

#include <string>
#include <string_view>

#include "kube/client/api.h"
#include "net/http/http.h"

namespace rescheduler::kube {

// "/apis/apps/v1/namespaces/web/deployments/api/scale"
std::string resource_path(const ApiCall& call);

// Path, query, media types and body, without credentials. `base_path` is the path of the server's URL. Built-in kinds
// are sent as protobuf, custom kinds as JSON.
Result<net::HttpRequest> http_request_for(const ApiCall& call, std::string_view base_path);

}  // namespace rescheduler::kube
