// What a pod asks for, by Kubernetes' arithmetic: sidecars count for the whole life of the pod, init containers only
// while they run, pod-level requests replace the sum, overhead comes on top.
#pragma once

#include <cstdint>

#include "cluster/resource_list.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct PodRequests {
  ResourceList plain{};
  // For scoring: a container that says nothing counts as 100m and 200 MiB.
  std::int64_t nonzero_cpu = 0;
  std::int64_t nonzero_memory = 0;
  // The same, from the containers alone: what kube-scheduler scores an incoming pod with pod-level requests by.
  std::int64_t scored_cpu = 0;
  std::int64_t scored_memory = 0;

  friend bool operator==(const PodRequests&, const PodRequests&) = default;
};

enum class RequestsOf {
  Incoming,  // by its spec
  Placed,    // the largest of what the spec says, the node has set aside and the containers got (in-place resize)
};

PodRequests requests_of(const api::Pod& pod, RequestsOf which, SymbolTable& symbols);

// Is this a resource the scheduler counts beyond CPU, memory, storage and pods?
bool is_counted_resource(std::string_view name);

}  // namespace rescheduler::cluster
