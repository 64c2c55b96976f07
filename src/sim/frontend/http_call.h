// Parses an HTTP request of the Kubernetes API: path, method, query, media types and body. Pure.
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

// An error with code 404 and no reason: the path is unknown; the answer is plain text.
ApiResult<HttpCall> read_call(const KindRegistry& kinds, const net::HttpRequest& request);

// The operation of the call; not for watches. Can be called again for a second execution.
ApiResult<Operation> operation_for(const HttpCall& call, const net::HttpRequest& request);
ApiResult<WatchQuery> watch_query_for(const HttpCall& call);

}  // namespace rescheduler::sim
