// Turns the body of a watch into events.
#pragma once

#include <memory>
#include <string>

#include "kube/client/api.h"
#include "net/http/http_client.h"

namespace rescheduler::kube {

// The Content-Type of the answer gives the encoding. `where` is describe(call), for error messages.
Result<std::unique_ptr<WatchStream>> make_watch_reader(std::unique_ptr<net::BodyStream> body,
                                                       const ResourceType& resource,
                                                       std::string where);

}  // namespace rescheduler::kube
