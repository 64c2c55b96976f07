// The expected load of a pod before it runs: its requests. LoadTracker reserves this load on a node until the
// measurements include the pod. The score of a node adds it for the incoming pod.
#pragma once

#include <cstdint>

#include "cluster/node_load.h"
#include "cluster/pod_requests.h"
#include "cluster/resource_list.h"

namespace rescheduler::cluster {

// For a pod without requests. Not zero: a hundred such pods at once would all go to the node that is least loaded now.
inline constexpr std::int64_t kEstimatedMilliCpu = 250;
inline constexpr std::int64_t kEstimatedMemory = std::int64_t{200} << 20;

// A node with nothing allocatable of the resource counts as full.
inline double share_of(std::int64_t amount, std::int64_t of) {
  return of > 0 ? static_cast<double>(amount) / static_cast<double>(of) : 1.0;
}

struct IncomingLoad {
  float milli_cpu = 0;
  float memory = 0;  // bytes
};

inline IncomingLoad incoming_load_of(const PodRequests& requests) {
  const ResourceList& asked = requests.plain;
  return {static_cast<float>(asked.cpu > 0 ? asked.cpu : kEstimatedMilliCpu),
          static_cast<float>(asked.memory > 0 ? asked.memory : kEstimatedMemory)};
}

// As shares of the node's allocatable. The load of other resources is zero, because requests do not predict it.
inline Loads estimated_loads(const PodRequests& requests, const ResourceList& allocatable) {
  Loads loads{};
  const ResourceList& asked = requests.plain;
  loads[kCpuLoad] = share_of(asked.cpu > 0 ? asked.cpu : kEstimatedMilliCpu, allocatable.cpu);
  loads[kMemoryLoad] = share_of(asked.memory > 0 ? asked.memory : kEstimatedMemory, allocatable.memory);
  return loads;
}

}  // namespace rescheduler::cluster
