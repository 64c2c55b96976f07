// The objects that requests carry, in whichever encoding they came. Pure.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "net/http/http.h"
#include "sim/door/operation.h"
#include "sim/door/request_target.h"

namespace rescheduler::sim {

// The object itself, or what is posted or put to its subresource.
Answer<MessagePtr> read_body(const Kind& kind,
                             std::string_view subresource,
                             const net::HttpRequest& request,
                             bool strict);
// From the body if there is one, else from the query.
Answer<std::shared_ptr<const api::DeleteOptions>> read_delete_options(const Query& query,
                                                                      const net::HttpRequest& request);

Answer<std::string> yaml_as_json(std::string_view text);

}  // namespace rescheduler::sim
