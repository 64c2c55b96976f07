// An HTTP request understood as one of Kubernetes': path, method, query, media types and body. Pure.
#pragma once

#include <memory>
#include <string>

#include "net/http/http.h"
#include "sim/frontend/media.h"
#include "sim/frontend/operation.h"
#include "sim/frontend/request_target.h"

namespace rescheduler::sim {

struct HttpCall {
  kube::Verb verb = kube::Verb::Get;
  const Kind* kind = nullptr;
  ResourcePath path{};
  Query query{};
  Format format{};
};

// A refusal with code 404 and no reason: the path leads nowhere, which is answered in plain text.
ApiResult<HttpCall> read_call(const KindRegistry& kinds, const net::HttpRequest& request);

// What the call asks the server to do; not for watches. May be asked again for a second execution.
ApiResult<Operation> operation_for(const HttpCall& call, const net::HttpRequest& request);
ApiResult<WatchQuery> watch_query_for(const HttpCall& call);

}  // namespace rescheduler::sim
