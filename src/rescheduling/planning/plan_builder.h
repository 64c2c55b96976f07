// A plan under construction: a what-if overlay with the moves so far, the pods that can still move, and the refused
// pods. Strategies work on it one after the other; each sees the moves of the earlier strategies.
#pragma once

#include <algorithm>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "rescheduling/planning/make_plan.h"
#include "rescheduling/planning/movable.h"
#include "rescheduling/planning/node_rules.h"
#include "rescheduling/planning/pod_inventory.h"
#include "rescheduling/planning/what_if.h"

namespace rescheduler::rescheduling {

// Why a move is in the plan.
struct Intent {
  config::Strategy strategy{};
  std::string cause{};                       // the first half of the reason
  std::size_t resource = cluster::kCpuLoad;  // the reason states the effect on this resource
  std::vector<RefusedTarget> refused{};
};

class PlanBuilder {
 public:
  PlanBuilder(const Snapshot& snapshot, const PlanRequest& request, Plan& plan);

  // --- Queries of the strategies ---
  std::optional<MoveBlocker> why_not_movable(cluster::PodIndex pod, Purpose purpose) const {
    return movable_.why_not_movable(pod, purpose);
  }
  // The pod is unassigned. Checks the filters, the load after the move, ping-pong, and too many duplicates.
  bool allows(cluster::PodIndex unassigned, cluster::NodeIndex node);
  // The cheap checks of allows(), without the filters.
  bool has_room(cluster::PodIndex pod, cluster::NodeIndex node) const;
  // The node that is least full with the pod, or kNoNode. `also`, unless empty, must hold for the node.
  using NodeTest = std::function<bool(cluster::NodeIndex)>;
  cluster::NodeIndex best_target(cluster::PodIndex unassigned, const NodeTest& also = {});
  // Why no node accepts the pod, in one sentence.
  std::string why_no_target(cluster::PodIndex unassigned);
  // Load of the node with the pod, for the resource nearest to its limit: 1 is at the limit.
  double fullness_with(cluster::PodIndex pod, cluster::NodeIndex node) const;
  // The largest number of pods with this owner and these images on one node; unlimited for a pod without an owner or
  // with fewer than two feasible nodes.
  std::uint32_t most_alike(cluster::PodIndex pod);
  std::uint32_t alike_on(cluster::PodIndex pod, cluster::NodeIndex node) const;

  // --- Changes by the strategies ---
  // Records why the pod moves. An earlier reason stays. False: the pod already has a reason in this round.
  bool moved(cluster::PodIndex pod, Intent intent);
  // The pod is back on the node that it had when this round began.
  void forget_move(cluster::PodIndex pod);
  void refuse(cluster::PodIndex pod, const MoveBlocker& blocker);
  // A repeated sentence is recorded once.
  void note(std::string sentence) {
    if (std::ranges::find(plan_.notes, sentence) == plan_.notes.end()) {
      plan_.notes.push_back(std::move(sentence));
    }
  }
  // Replaces the earlier note about the same thing.
  void note_about(const std::string& thing, std::string sentence);

  // --- Rounds: one run of one strategy, which starts as if the earlier moves had been carried out ---
  void begin_round();
  struct Saved {
    std::vector<std::pair<cluster::PodIndex, cluster::NodeIndex>> places{};  // of the moved pods
    std::map<cluster::PodIndex, Intent> intents{};
    std::vector<std::string> notes{};
    std::map<std::string, std::size_t> noted{};
    std::vector<UnmovedPod> refused{};
    std::map<std::string, std::size_t> refused_at{};
  };
  std::vector<std::pair<cluster::PodIndex, cluster::NodeIndex>> places() const;
  Saved save() const;
  void go_back(const Saved& saved);

  // --- Caps: what remains after the moves so far ---
  bool within_caps(cluster::PodIndex pod) const;
  std::uint32_t left_in_total() const;
  std::uint32_t left_of_node(cluster::NodeIndex node) const;
  std::uint32_t left_of_namespace(cluster::Symbol ns) const;
  std::uint32_t left_of_lineage(LineageIndex lineage) const;

  const Snapshot& snapshot() const { return snapshot_; }
  const cluster::Cluster& cluster() const { return snapshot_.cluster(); }
  WhatIf& what_if() { return what_if_; }
  const WhatIf& what_if() const { return what_if_; }
  const PlanRequest& request() const { return request_; }
  const config::ReschedulingSettings& settings() const { return request_.args->rescheduling; }
  const PodInventory& inventory() const { return inventory_; }
  const NodeRules& rules() const { return rules_; }
  const std::map<cluster::PodIndex, Intent>& intents() const { return intents_; }
  bool is_moved(cluster::PodIndex pod) const { return what_if_.first_on(pod) != what_if_.now_on(pod); }
  const std::string& name_of(cluster::NodeIndex node) const { return cluster().node(node).node->name; }
  bool measured() const { return cluster().load_summary().basis == cluster::LoadBasis::Usage; }

 private:
  struct Used {
    std::uint32_t total = 0;
    std::map<cluster::NodeIndex, std::uint32_t> nodes{};
    std::map<cluster::Symbol, std::uint32_t> namespaces{};
    std::map<LineageIndex, std::uint32_t> lineages{};
  };
  bool stays_cool(cluster::PodIndex pod, cluster::NodeIndex node) const;
  bool has_hard_spread(cluster::PodIndex pod) const;
  void count_alike();
  Used used() const;

  Snapshot snapshot_;  // a copy; `what_if_` moves its pods
  const PlanRequest& request_;
  Plan& plan_;
  PodInventory inventory_;
  Movable movable_;
  NodeRules rules_;
  WhatIf what_if_;
  bool no_duplicates_ = false;
  std::map<cluster::PodIndex, Intent> intents_;
  std::set<cluster::PodIndex> moved_this_round_;  // cleared by begin_round()
  std::map<std::string, std::size_t> noted_;      // by thing: index in the notes of the plan
  std::map<std::string, std::size_t> refused_;    // by uid: index in Plan::refused
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> most_alike_;
  boost::unordered_flat_map<std::pair<const OwnerRef*, std::uint64_t>, std::uint32_t> alike_;  // by owner and images
};

}  // namespace rescheduler::rescheduling
