#include "usage/workload_usage.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include <fmt/format.h>

#include "cluster/estimate.h"
#include "cluster/objects/pods.h"
#include "kube/proto/core_pod.pb.h"
#include "usage/half_life.h"

namespace rescheduler::usage {
namespace {

// Samples are means over 15 s or more, and the mean over all pods of a workload varies less than one pod.
constexpr std::chrono::minutes kHalfLife{1};
// A daily job is still known on the next day.
constexpr std::chrono::hours kKept{26};
}  // namespace

const WorkloadUsage* workload_usage_of(const WorkloadUsagesPtr& workload_usages, const api::Pod& pod) {
  if (workload_usages == nullptr || workload_usages->empty()) return nullptr;
  const auto found = workload_usages->find(cluster::workload_key(pod));
  return found == workload_usages->end() ? nullptr : &found->second;
}

cluster::Loads expected_loads(const cluster::PodRequests& requests,
                              const WorkloadUsage* workload_usage,
                              const cluster::ResourceList& allocatable) {
  cluster::Loads loads = cluster::estimated_loads(requests, allocatable);
  if (workload_usage == nullptr) return loads;
  const auto raise = [&](std::size_t resource, double amount, std::int64_t whole) {
    // If the node has no allocatable of the resource, the estimate already counts it as full.
    if (whole > 0) loads[resource] = std::max(loads[resource], amount / static_cast<double>(whole));
  };
  raise(cluster::kCpuLoad, workload_usage->milli_cpu, allocatable.cpu);
  raise(cluster::kMemoryLoad, workload_usage->memory, allocatable.memory);
  return loads;
}

void WorkloadUsageTracker::observe(const std::string& workload, const WorkloadUsage& mean, WallTime now) {
  if (workload.empty() || !std::isfinite(mean.milli_cpu) || !std::isfinite(mean.memory)) return;
  const auto [place, fresh] = known_.try_emplace(workload, Known{mean, now});
  if (fresh) return;
  Known& known = place->second;
  const double weight = weight_of_new(now - known.seen, kHalfLife);
  known.workload_usage.milli_cpu += weight * (mean.milli_cpu - known.workload_usage.milli_cpu);
  known.workload_usage.memory += weight * (mean.memory - known.workload_usage.memory);
  known.seen = now;
}

WorkloadUsagesPtr WorkloadUsageTracker::take(WallTime now) {
  boost::unordered::erase_if(known_, [&](const auto& entry) { return now - entry.second.seen > kKept; });
  auto workload_usages = std::make_shared<WorkloadUsages>();
  workload_usages->reserve(known_.size());
  for (const auto& [workload, known] : known_) workload_usages->emplace(workload, known.workload_usage);
  return workload_usages;
}

}  // namespace rescheduler::usage
