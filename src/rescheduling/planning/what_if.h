// Moves pods to see the effect on requests, ports, volumes, spread and loads. It works on a copy of the snapshot, which
// shares everything that no move changes with the original.
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
  WhatIf(Snapshot& copy, const PodInventory& inventory, const placement::Framework& framework);
  ~WhatIf();
  WhatIf(const WhatIf&) = delete;
  WhatIf& operator=(const WhatIf&) = delete;

  void unassign(cluster::PodIndex pod);
  void assign(cluster::PodIndex pod, cluster::NodeIndex node);
  void move(cluster::PodIndex pod, cluster::NodeIndex node);
  // Returns every pod to its first node.
  void restore();

  // Whether the filters of the scheduler accept an unassigned pod on the node in the current state.
  bool admits(cluster::PodIndex unassigned, cluster::NodeIndex node);
  // The same for the node that the pod came from. High load of this node does not reject the pod.
  bool admits_back(cluster::PodIndex unassigned, cluster::NodeIndex node);
  // The plugin that refuses the pod, and why; empty: no plugin refuses it.
  std::string refusal(cluster::PodIndex unassigned, cluster::NodeIndex node);

  // The verdict of one plugin.
  placement::Status plugin_status(std::string_view plugin, cluster::PodIndex unassigned, cluster::NodeIndex node);
  // True if the move increases the skew of a hard spread constraint above the allowed skew. The filter checks only the
  // domain of the target; this check includes the domain that the pod leaves.
  bool violates_spread(cluster::PodIndex unassigned, cluster::NodeIndex node);

  // Pods without spread constraints of their own have hard default constraints.
  bool spreads_by_default() const { return default_spread_is_hard_; }

  cluster::NodeIndex now_on(cluster::PodIndex pod) const { return snapshot_.cluster().pod(pod).node; }
  cluster::NodeIndex first_on(cluster::PodIndex pod) const;
  // Makes the current nodes of the pods their home nodes, as if the moves had been carried out and a new plan began.
  void take_as_start();
  // The node of the pod at the last take_as_start(); before that, its first node.
  cluster::NodeIndex home_of(cluster::PodIndex pod) const;
  // Pods that are not on their first node, in order of their index.
  std::vector<cluster::PodIndex> moved() const;

  Snapshot& snapshot() { return snapshot_; }
  const Snapshot& snapshot() const { return snapshot_; }
  const cluster::Cluster& cluster() const { return snapshot_.cluster(); }
  const PodInventory& inventory() const { return inventory_; }

 private:
  struct PodCycle;  // the scheduling cycle of a pod, with the state that filters keep for it

  placement::Cycle& cycle_for(cluster::PodIndex unassigned);
  void add_load(cluster::PodIndex pod, cluster::NodeIndex node, double factor);
  bool needs_counts(const cluster::CompiledPodSpec& compiled_spec) const;
  void look_at_loads();

  Snapshot& snapshot_;
  const PodInventory& inventory_;
  const placement::Framework& framework_;
  bool default_spread_is_hard_ = false;
  placement::NominatedPods no_nominated_pods_;
  boost::unordered_flat_map<cluster::PodIndex, cluster::NodeIndex> first_;
  boost::unordered_flat_map<cluster::PodIndex, cluster::NodeIndex> homes_;            // if it is not the first node
  boost::unordered_flat_map<cluster::PodIndex, cluster::NodeIndex> unassigned_from_;  // the unassigned pods
  boost::unordered_flat_map<cluster::NodeIndex, cluster::NodeLoad> loads_;            // original values
  std::optional<cluster::LoadSummary> load_summary_;                                  // original value
  std::unique_ptr<PodCycle> context_;
};

}  // namespace rescheduler::rescheduling
