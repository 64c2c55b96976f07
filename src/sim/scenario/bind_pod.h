// Binds a pod to a node, as a scheduler does.
#pragma once

#include <string>

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::sim {

class Server;

// False if the server rejects the binding: the pod is deleted, changed or already bound.
[[nodiscard]] bool bind_pod(Server& server, const api::Pod& pod, const std::string& node);

}  // namespace rescheduler::sim
