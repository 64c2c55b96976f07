// What a pod will use once it runs, as far as anybody can say before: what it asks for. It is what is booked on a node
// until measurements show the pod itself, and what a node's score adds for the pod that is to come.
#pragma once

#include <cstdint>

#include "cluster/node_load.h"
#include "cluster/pod_requests.h"
#include "cluster/resource_list.h"

namespace rescheduler::cluster {

// Of a pod that does not say. Not nothing: a hundred of them at once would all go to the node that is idlest now.
inline constexpr std::int64_t kEstimatedMilliCpu = 250;
inline constexpr std::int64_t kEstimatedMemory = std::int64_t{200} << 20;

// A node that has nothing of it to give is full.
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

// As shares of a node's allocatable. Of further resources nobody can say: nothing.
inline Loads estimated_loads(const PodRequests& requests, const ResourceList& allocatable) {
  Loads loads{};
  const ResourceList& asked = requests.plain;
  loads[kCpuLoad] = share_of(asked.cpu > 0 ? asked.cpu : kEstimatedMilliCpu, allocatable.cpu);
  loads[kMemoryLoad] = share_of(asked.memory > 0 ? asked.memory : kEstimatedMemory, allocatable.memory);
  return loads;
}

}  // namespace rescheduler::cluster
