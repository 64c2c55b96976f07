// From a call in Kubernetes' terms to the HTTP request that makes it. Pure.
#pragma once

#include <string>
#include <string_view>

#include "kube/client/api.h"
#include "net/http/http.h"

namespace rescheduler::kube {

// "/apis/apps/v1/namespaces/web/deployments/api/scale"
std::string resource_path(const ApiCall& call);

// Path, query, media types and body; not yet the credentials. `base_path` is what the server's address ends with.
// Built-in kinds travel as protobuf, custom ones as JSON.
Result<net::HttpRequest> http_request_for(const ApiCall& call, std::string_view base_path);

}  // namespace rescheduler::kube
