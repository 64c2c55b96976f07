// All pods of a world once through, at the start of a plan: which lineage each belongs to, how many of it there are,
// which budgets count it, and what it uses.
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
  std::uint32_t pods = 0;                         // that have a node
  std::uint32_t ready = 0;                        // of them
  std::optional<std::int32_t> replicas{};         // that there shall be, where somebody says so
  cluster::OptOut opt_out = cluster::OptOut::No;  // of the workload or one above it
  bool autoscaled = false;

  // How many there are, by the more careful count.
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

  // Places in Budgets::all() of those that count the pod.
  const std::vector<std::uint32_t>& budgets_of(cluster::PodIndex pod) const;
  BudgetVerdict verdict_on(cluster::PodIndex pod) const;
  // How many pods of its only budget may be away at a time; nothing: no budget counts it.
  std::optional<std::uint32_t> allowance_of(cluster::PodIndex pod) const;

  // What a pod uses, in milli-cores and bytes and whatever else is followed: as measured, else its part of what its
  // node was measured to use, by what it asks for; on a node that was not measured, or where nobody measures, what it
  // asks for.
  const cluster::Loads& load_of(cluster::PodIndex pod) const { return loads_[pod]; }

 private:
  void count_lineages();
  void find_loads();
  void share_out(const cluster::NodeInfo& node, std::size_t resource);
  bool lets_unhealthy_go(const cluster::Budget& budget) const;

  const Snapshot& snapshot_;
  std::vector<LineageIndex> lineage_of_;  // by PodIndex
  std::vector<LineageFacts> lineages_;
  std::vector<cluster::Loads> loads_;                                                     // by PodIndex
  mutable boost::unordered_flat_map<std::uint64_t, std::vector<std::uint32_t>> budgets_;  // by namespace and labels
};

// What a node has of a followed resource: milli-cores, bytes; for the others a share is all there is: one.
double whole_of(const cluster::Node& node, std::size_t resource);

}  // namespace rescheduler::rescheduling
