// Built from all pods of a snapshot at the start of a plan: the lineage of each pod, the number of pods per lineage,
// the PodDisruptionBudgets of a pod, and its usage.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/budgets.h"
#include "rescheduling/planning/plan.h"
#include "rescheduling/planning/snapshot.h"

namespace rescheduler::rescheduling {

using LineageIndex = std::uint32_t;

struct LineageFacts {
  migration::Lineage lineage{};
  std::uint32_t pods = 0;                         // pods with a node
  std::uint32_t ready = 0;                        // number of ready pods among them
  std::optional<std::int32_t> replicas{};         // desired replicas, if known
  cluster::OptOut opt_out = cluster::OptOut::No;  // of the workload or one of its owners
  bool autoscaled = false;

  // The lower of the desired and the observed number of pods, to be careful.
  std::uint32_t copies() const {
    const auto wanted = replicas ? static_cast<std::uint32_t>(std::max(*replicas, 0)) : pods;
    return std::min(wanted, pods);
  }
};

class PodInventory {
 public:
  explicit PodInventory(const Snapshot& snapshot);

  LineageIndex lineage_of(cluster::PodIndex pod) const { return lineage_of_[pod]; }
  const LineageFacts& lineage(LineageIndex index) const { return lineages_[index]; }
  const std::vector<LineageFacts>& lineages() const { return lineages_; }

  // Indexes into Budgets::all() of the budgets that select the pod.
  const std::vector<std::uint32_t>& budgets_of(cluster::PodIndex pod) const;
  BudgetVerdict verdict_on(cluster::PodIndex pod) const;
  // How many pods the PodDisruptionBudget of the pod allows to disrupt now; empty: no budget selects the pod.
  std::optional<std::uint32_t> allowance_of(cluster::PodIndex pod) const;

  // Measured usage of a pod, if known. Otherwise the pod's part of the measured load of its node, in proportion to its
  // expected usage. Without a sample of the node: the requests.
  const cluster::Amounts& usage_of(cluster::PodIndex pod) const { return usages_[pod]; }

 private:
  void count_lineages();
  void find_usages();
  void share_out(const cluster::NodeInfo& node, std::size_t resource);
  bool lets_unhealthy_go(const cluster::Budget& budget) const;

  const Snapshot& snapshot_;
  std::vector<LineageIndex> lineage_of_;  // by PodIndex
  std::vector<LineageFacts> lineages_;
  std::vector<cluster::Amounts> usages_;                                                  // by PodIndex
  mutable boost::unordered_flat_map<std::uint64_t, std::vector<std::uint32_t>> budgets_;  // by namespace and labels
};

// Capacity of a node for a followed resource: milli-cores, bytes; 1 for other resources, which are known only as a
// share.
double whole_of(const cluster::Node& node, std::size_t resource);

}  // namespace rescheduler::rescheduling
