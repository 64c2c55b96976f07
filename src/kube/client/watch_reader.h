// From the bytes of a watch's body to events.
#pragma once

#include <memory>
#include <string>

#include "kube/client/api.h"
#include "net/http/http_client.h"

namespace rescheduler::kube {

// The encoding is the one the answer's Content-Type names. `where` is describe(call), for error texts.
Result<std::unique_ptr<WatchStream>> make_watch_reader(std::unique_ptr<net::BodyStream> body,
                                                       const ResourceType& resource,
                                                       std::string where);

}  // namespace rescheduler::kube
