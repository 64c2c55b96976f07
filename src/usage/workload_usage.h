// The measured use of the pods of a workload. A new pod is expected to use as much. Many pods use more than their
// requests, and a node with several new pods would otherwise look emptier than it is until samples show them.
#pragma once

#include <memory>
#include <string>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/clock.h"
#include "cluster/node_load.h"
#include "cluster/pod_requests.h"
#include "cluster/resource_list.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::usage {

// Of one pod, in absolute amounts: a share would be valid only for nodes of one size.
struct WorkloadUsage {
  double milli_cpu = 0;
  double memory = 0;  // bytes
};
using WorkloadUsages = boost::unordered_flat_map<std::string, WorkloadUsage>;  // by cluster::workload_key()
using WorkloadUsagesPtr = std::shared_ptr<const WorkloadUsages>;

// Null: nothing is known about the workload.
const WorkloadUsage* workload_usage_of(const WorkloadUsagesPtr& workload_usages, const api::Pod& pod);

// The expected load as shares of `allocatable`. Not below the pod's requests, because the pod may use them at once;
// `workload_usage` may be null.
cluster::Loads expected_loads(const cluster::PodRequests& requests,
                              const WorkloadUsage* workload_usage,
                              const cluster::ResourceList& allocatable);

// Learns the usage of workloads. One thread owns it.
class WorkloadUsageTracker {
 public:
  // `mean`: over the pods of the workload that are measured now.
  void observe(const std::string& workload, const WorkloadUsage& mean, WallTime now);
  // Drops workloads that have had no pods for a long time. Returns a copy for other threads.
  WorkloadUsagesPtr take(WallTime now);

 private:
  struct Known {
    WorkloadUsage workload_usage{};
    WallTime seen{};
  };
  boost::unordered_flat_map<std::string, Known> known_;
};

}  // namespace rescheduler::usage
