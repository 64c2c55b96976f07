// What pods of a workload were seen to use. One that is just coming is expected to use as much: many use more than they
// ask for, and until samples show them a node that was given several looks as if it had room for more.
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

// Of one pod, in amounts: a share would hold on nodes of one size only.
struct WorkloadUsage {
  double milli_cpu = 0;
  double memory = 0;  // bytes
};
using WorkloadUsages = boost::unordered_flat_map<std::string, WorkloadUsage>;  // by workload_of()
using WorkloadUsagesPtr = std::shared_ptr<const WorkloadUsages>;

// "shop/Deployment/web": what outlives a rollout and a night without pods, as far as the pod itself tells - whoever
// places it knows no more. Empty: nobody makes another one like it.
std::string workload_of(const api::Pod& pod);

// Null: nothing is known of the workload.
const WorkloadUsage* workload_usage_of(const WorkloadUsagesPtr& workload_usages, const api::Pod& pod);

// Shares of a node that has so much to give. Not less than the pod asks for, which it may take at once;
// `workload_usage` may be null.
cluster::Loads expected_loads(const cluster::PodRequests& requests,
                              const WorkloadUsage* workload_usage,
                              const cluster::ResourceList& allocatable);

// Learns them. Belongs to one thread.
class WorkloadUsageTracker {
 public:
  // The mean over those of its pods that are measured now.
  void saw(const std::string& workload, const WorkloadUsage& mean, WallTime now);
  // Workloads that have had no pods for long are forgotten. A copy, for whoever else goes by them.
  WorkloadUsagesPtr take(WallTime now);

 private:
  struct Known {
    WorkloadUsage workload_usage{};
    WallTime seen{};
  };
  boost::unordered_flat_map<std::string, Known> known_;
};

}  // namespace rescheduler::usage
