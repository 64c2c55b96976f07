// Pods of a world moved about to see what would come of it: requests, ports, volumes, spread and loads follow. At its
// end the world is as it was.
#pragma once

#include <optional>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "placement/cycle.h"
#include "rescheduling/planning/pod_inventory.h"
#include "rescheduling/planning/snapshot.h"

namespace rescheduler::rescheduling {

class WhatIf {
 public:
  WhatIf(Snapshot& snapshot, const PodInventory& inventory, const placement::Framework& framework);
  ~WhatIf();
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  void unassign(cluster::PodIndex pod);
  void assign(cluster::PodIndex pod, cluster::NodeIndex node);
  void move(cluster::PodIndex pod, cluster::NodeIndex node);
  // Every pod where it was in the beginning.
  void restore();

  // May a lifted pod go there? By the scheduler's own filters, as things are now.
  bool admits(cluster::PodIndex unassigned, cluster::NodeIndex node);
  // The same of the node it came from: that it is too busy is no reason not to stay.
  bool admits_back(cluster::PodIndex unassigned, cluster::NodeIndex node);
  // Who refuses it, and why; empty: nobody does.
  std::string refusal(cluster::PodIndex unassigned, cluster::NodeIndex node);

  // What one plugin alone has against it.
  placement::Status plugin_status(std::string_view plugin, cluster::PodIndex unassigned, cluster::NodeIndex node);
  // Would a group that has to be spread be spread worse, and worse than allowed, with the pod there? The filter looks
  // at the domain that the pod comes to; this also at the one it leaves.
  bool spoils_spread(cluster::PodIndex unassigned, cluster::NodeIndex node);

  // Pods that say nothing of it themselves have to be spread nevertheless.
  bool spreads_by_default() const { return default_spread_is_hard_; }

  cluster::NodeIndex now_on(cluster::PodIndex pod) const { return snapshot_.cluster().pod(pod).node; }
  cluster::NodeIndex first_on(cluster::PodIndex pod) const;
  // From now on pods belong where they are now, as if they had been moved there and somebody looked again.
  void take_as_start();
  // Where it was when they last settled in; in the beginning, where it was first.
  cluster::NodeIndex home_of(cluster::PodIndex pod) const;
  // Pods that are not where they were, in order of their index.
  std::vector<cluster::PodIndex> moved() const;

  Snapshot& snapshot() { return snapshot_; }
  const Snapshot& snapshot() const { return snapshot_; }
  const cluster::Cluster& cluster() const { return snapshot_.cluster(); }
  const PodInventory& inventory() const { return inventory_; }

 private:
  struct Asked;  // a question about a pod, with what the filters noted down for it

  placement::Cycle& cycle_for(cluster::PodIndex unassigned);
  void add_load(cluster::PodIndex pod, cluster::NodeIndex node, double factor);
  bool needs_counts(const cluster::CompiledPodSpec& compiled_spec) const;
  void look_at_loads();

  Snapshot& snapshot_;
  const PodInventory& inventory_;
  const placement::Framework& framework_;
  bool default_spread_is_hard_ = false;
  placement::NominatedPods nobody_;
  boost::unordered_flat_map<cluster::PodIndex, cluster::NodeIndex> first_;
  boost::unordered_flat_map<cluster::PodIndex, cluster::NodeIndex> homes_;  // of those that settled in elsewhere
  boost::unordered_flat_map<cluster::PodIndex, cluster::NodeIndex> unassigned_from_;  // those that are in the air
  boost::unordered_flat_map<cluster::NodeIndex, cluster::NodeLoad> loads_;            // as they were
  std::optional<cluster::LoadSummary> load_summary_;                                  // as it was
  std::unique_ptr<Asked> context_;
};

}  // namespace rescheduler::rescheduling
