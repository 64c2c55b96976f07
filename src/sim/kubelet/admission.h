// The kubelet's own admission: whether a bound pod can run on the node. Host ports are not checked.
#pragma once

#include <optional>
#include <string>

#include "sim/kubelet/pod_needs.h"

namespace rescheduler::sim {

struct Rejection {
  std::string reason;   // OutOfcpu, NodeAffinity, ...
  std::string message;  // as in the pod's status
};

// `node.taints` has only taints with effect NoExecute. `node.used` is the sum over the pods admitted before.
std::optional<Rejection> rejection(const api::Pod& pod, const PodResources& requests, const NodeRoom& node);

}  // namespace rescheduler::sim
