// The number of replicas that the controller of a pod wants. The controller is the pod's owner, or the Deployment of
// its ReplicaSet.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "sim/controllers/pods/pod_view.h"
#include "sim/server/server.h"

namespace rescheduler::sim {

struct ControllerScale {
  std::string uid;
  int replicas = 0;
};
// Empty if the controller does not exist (any more). An error if its kind has no scale.
Result<std::optional<ControllerScale>> controller_scale(const Server& server, std::string_view ns, const Owner& owner);

}  // namespace rescheduler::sim
