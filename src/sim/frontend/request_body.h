// Reads the objects in request bodies, in any encoding. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "sim/frontend/operation.h"
#include "sim/frontend/request_target.h"

namespace rescheduler::sim {

// The object itself, or the body of a POST or PUT to its subresource.
ApiResult<MessagePtr> read_body(const Kind& kind,
                                std::string_view subresource,
                                const net::HttpRequest& request,
                                bool strict);
// From the body if there is one, else from the query.
ApiResult<std::shared_ptr<const api::DeleteOptions>> read_delete_options(const Query& query,
                                                                         const net::HttpRequest& request);

ApiResult<std::string> yaml_as_json(std::string_view text);

}  // namespace rescheduler::sim
