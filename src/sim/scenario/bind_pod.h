// Binds a pod to a node, as a scheduler's decision.
#pragma once

#include <string>

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class Server;

// False when the server refused: the pod is gone, changed or placed by somebody else.
[[nodiscard]] bool bind_pod(Server& server, const api::Pod& pod, const std::string& node);

}  // namespace rescheduler::sim
