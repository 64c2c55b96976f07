#include "rescheduling/planning/pod_inventory.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "cluster/estimate.h"
#include "placement/predicted_load.h"

namespace rescheduler::rescheduling {
namespace {

using cluster::AssignedPod;
using cluster::kCpuLoad;
using cluster::kMemoryLoad;
using cluster::LoadBasis;
using cluster::NodeInfo;
using cluster::PodIndex;

constexpr double kMilli = 1000;

// The requests of a pod, as LoadBasis::Requests counts them.
double requested(const AssignedPod& pod, std::size_t resource) {
  const cluster::PodRequests& requests = pod.compiled_spec->requirements->requests;
  if (resource == kCpuLoad) return static_cast<double>(requests.nonzero_cpu);
  return resource == kMemoryLoad ? static_cast<double>(requests.nonzero_memory) : 0;
}

// Expected usage: the weight with which a pod gets its part of the measured load. The usual usage of its workload, else
// its requests.
double expected(const Snapshot& snapshot, PodIndex index, std::size_t resource) {
  if (const usage::WorkloadUsage* workload_usage = snapshot.workload_usage_of(snapshot.facts(index));
      workload_usage != nullptr) {
    return std::max(resource == kMemoryLoad ? workload_usage->memory : workload_usage->milli_cpu, 1.0);
  }
  const cluster::ResourceList& asked = snapshot.cluster().pod(index).compiled_spec->requirements->requests.plain;
  if (resource == kMemoryLoad) {
    return static_cast<double>(asked.memory > 0 ? asked.memory : cluster::kEstimatedMemory);
  }
  return static_cast<double>(asked.cpu > 0 ? asked.cpu : cluster::kEstimatedMilliCpu);
}

}  // namespace

double whole_of(const cluster::Node& node, std::size_t resource) {
  if (resource == kCpuLoad) return static_cast<double>(node.allocatable.cpu);
  return resource == kMemoryLoad ? static_cast<double>(node.allocatable.memory) : 1;
}

PodInventory::PodInventory(const Snapshot& snapshot) : snapshot_(snapshot) {
  count_lineages();
  find_usages();
}

void PodInventory::count_lineages() {
  const auto& pods = snapshot_.cluster().pods();
  lineage_of_.assign(pods.size(), 0);
  boost::unordered_flat_map<const OwnerRef*, LineageIndex> by_owner;
  std::map<migration::Lineage, LineageIndex> known;
  for (PodIndex index{0}; index < pods.size(); ++index) {
    if (pods[index].uid.empty()) continue;
    const PodFacts& facts = snapshot_.facts(index);
    auto place = by_owner.end();
    if (facts.owner) place = by_owner.find(facts.owner.get());
    if (place == by_owner.end()) {
      migration::Lineage lineage = snapshot_.lineage_of(index);
      const auto [entry, fresh] = known.try_emplace(lineage, static_cast<LineageIndex>(lineages_.size()));
      if (fresh) {
        LineageFacts made;
        made.autoscaled = snapshot_.workloads().is_autoscaled(lineage);
        made.lineage = std::move(lineage);
        lineages_.push_back(std::move(made));
      }
      LineageFacts& lineage_facts = lineages_[entry->second];
      if (facts.owner) {
        by_owner.emplace(facts.owner.get(), entry->second);
        if (const auto replicas = snapshot_.workloads().replicas_of(*facts.owner)) lineage_facts.replicas = replicas;
        const cluster::OptOut opt_out = snapshot_.workloads().opt_out_of(*facts.owner);
        if (lineage_facts.opt_out != cluster::OptOut::Disabled && opt_out != cluster::OptOut::No)
          lineage_facts.opt_out = opt_out;
      }
      lineage_of_[index] = entry->second;
    } else {
      lineage_of_[index] = place->second;
    }
    LineageFacts& mine = lineages_[lineage_of_[index]];
    ++mine.pods;
    if (facts.ready && !facts.terminating) ++mine.ready;
  }
}

const std::vector<std::uint32_t>& PodInventory::budgets_of(PodIndex index) const {
  const AssignedPod& pod = snapshot_.cluster().pod(index);
  const auto key = (static_cast<std::uint64_t>(pod.ns) << 32U) | static_cast<std::uint64_t>(pod.labels);
  const auto [place, fresh] = budgets_.try_emplace(key);
  if (fresh) {
    const auto& all = snapshot_.cluster().budgets().all();
    for (std::uint32_t i = 0; i < all.size(); ++i) {
      if (snapshot_.cluster().budgets().covers(all[i], pod)) place->second.push_back(i);
    }
  }
  return place->second;
}

bool PodInventory::lets_unhealthy_go(const cluster::Budget& budget) const {
  return budget.always_lets_unhealthy_go
         || (budget.current_healthy >= budget.desired_healthy && budget.desired_healthy > 0);
}

BudgetVerdict PodInventory::verdict_on(PodIndex pod) const {
  const auto& mine = budgets_of(pod);
  if (mine.empty()) return BudgetVerdict::NoBudget;
  if (mine.size() > 1) return BudgetVerdict::Several;
  const cluster::Budget& budget = snapshot_.cluster().budgets().all()[mine.front()];
  if (!snapshot_.facts(pod).ready && lets_unhealthy_go(budget)) return BudgetVerdict::Allowed;
  return budget.disruptions_allowed > 0 && !budget.outdated ? BudgetVerdict::Allowed : BudgetVerdict::Exhausted;
}

std::optional<std::uint32_t> PodInventory::allowance_of(PodIndex pod) const {
  const auto& mine = budgets_of(pod);
  if (mine.empty()) return std::nullopt;
  std::int64_t least = ~std::uint32_t{0};
  for (const std::uint32_t one : mine) {
    least = std::min(least, snapshot_.cluster().budgets().all()[one].disruptions_allowed);
  }
  return static_cast<std::uint32_t>(std::max<std::int64_t>(least, 0));
}

void PodInventory::find_usages() {
  const auto& cluster = snapshot_.cluster();
  const auto& load_summary = cluster.load_summary();
  usages_.assign(cluster.pods().size(), cluster::Amounts{});
  const std::size_t followed = std::min(load_summary.resources.size(), cluster::kMostLoads);
  for (const cluster::NodeIndex index : cluster.existing_nodes()) {
    const NodeInfo& node = cluster.node(index);
    for (std::size_t resource = 0; resource < followed; ++resource) {
      if (load_summary.basis == LoadBasis::Usage && node.load.knows(resource)) {
        share_out(node, resource);
        continue;
      }
      const double unit = resource == kCpuLoad ? kMilli : 1;
      for (const PodIndex pod : node.pods) {
        const double measured = snapshot_.usage_of(pod).of(resource);
        // The node has no sample; the pod can have one.
        const bool known = load_summary.basis == LoadBasis::Usage && !std::isnan(measured);
        usages_[pod][resource] = known ? std::max(measured, 0.0) * unit : requested(cluster.pod(pod), resource);
      }
    }
  }
}

// A pod with a sample gets its measured usage. The other pods share the rest of the predicted load of the node. This
// rest includes reservations, because the reserved pods are about to use them.
void PodInventory::share_out(const NodeInfo& node, std::size_t resource) {
  const double unit = resource == kCpuLoad ? kMilli : 1;
  double left = std::max(node.load.predicted(resource), 0.0) * whole_of(*node.node, resource);
  double weights = 0;
  for (const PodIndex pod : node.pods) {
    const double measured = snapshot_.usage_of(pod).of(resource);
    if (std::isnan(measured)) {
      weights += expected(snapshot_, pod, resource);
    } else {
      usages_[pod][resource] = std::max(measured, 0.0) * unit;
      left -= usages_[pod][resource];
    }
  }
  if (!(weights > 0)) return;
  left = std::max(left, 0.0);
  for (const PodIndex pod : node.pods) {
    if (!std::isnan(snapshot_.usage_of(pod).of(resource))) continue;
    usages_[pod][resource] = left * expected(snapshot_, pod, resource) / weights;
  }
}

}  // namespace rescheduler::rescheduling
