// May a pod that was bound to a node run there? The kubelet's own look, after the scheduler's. Host ports are not
// looked at.
#pragma once

#include <optional>
#include <string>

#include "sim/kubelet/pod_needs.h"

namespace rescheduler::sim {

struct Rejection {
  std::string reason;   // OutOfcpu, NodeAffinity, ...
  std::string message;  // as the pod's status shows it
};

// The node's taints are those that matter to a running pod: NoExecute. `node.used` is what the pods that were admitted
// before take.
std::optional<Rejection> rejection(const api::Pod& pod, const PodResources& requests, const NodeRoom& node);

}  // namespace rescheduler::sim
