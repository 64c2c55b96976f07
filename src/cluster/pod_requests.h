// The requests of a pod, computed as Kubernetes does. Sidecars count for the whole life of the pod, init containers
// only while they run. Pod-level requests replace the sum of the containers. Overhead is added.
#pragma once

#include <cstdint>

#include "cluster/resource_list.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

struct PodRequests {
  ResourceList plain{};
  // For scoring: a container without requests counts as 100m and 200 MiB.
  std::int64_t nonzero_cpu = 0;
  std::int64_t nonzero_memory = 0;
  // The same, without pod-level requests. kube-scheduler scores an incoming pod that has pod-level requests by these.
  std::int64_t scored_cpu = 0;
  std::int64_t scored_memory = 0;

  friend bool operator==(const PodRequests&, const PodRequests&) = default;
};

enum class RequestsOf {
  Incoming,  // by the spec
  Placed,    // the maximum of spec, allocated resources and actual resources (in-place resize)
};

PodRequests requests_of(const api::Pod& pod, RequestsOf which, SymbolTable& symbols);

// Does the scheduler count this resource besides CPU, memory, storage and pods?
bool is_counted_resource(std::string_view name);

}  // namespace rescheduler::cluster
