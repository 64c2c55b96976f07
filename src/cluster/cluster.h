// The model of a cluster: the objects of the API server, in the form that placement reads. A scheduling decision only
// reads it.
//
// A copy is cheap: it shares the pages and tables of the original until one of the two changes them. Planning takes a
// copy and tries moves on it, while the scheduler goes on with the original. Each copy belongs to one thread, also for
// reading: queries cache their results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "base/clock.h"
#include "base/copy_on_write.h"
#include "cluster/assigned_pod.h"
#include "cluster/budgets.h"
#include "cluster/cluster_event.h"
#include "cluster/images.h"
#include "cluster/interner.h"
#include "cluster/node.h"
#include "cluster/owners.h"
#include "cluster/pod_counts.h"
#include "cluster/pod_facts.h"
#include "cluster/pod_spec/pod_spec_cache.h"
#include "cluster/topology.h"
#include "cluster/volumes/volumes.h"

namespace rescheduler::api {
class Namespace;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

class Cluster {
 public:
  Cluster();
  Cluster(const Cluster& other);
  Cluster& operator=(const Cluster&) = delete;

  // --- Changes. Each function returns the event for waiting pods; null: no event, or listen(false). ---
  void listen(bool pods_wait) { listened_to_ = pods_wait; }
  ClusterEventPtr upsert_node(const api::Node& object);
  ClusterEventPtr remove_node(std::string_view name);
  // A pod that has a node, bound by any scheduler. Also confirms an assumed pod.
  ClusterEventPtr upsert_pod(const api::Pod& object);
  ClusterEventPtr remove_pod(std::string_view uid);
  // A decision of this scheduler that the API server has not confirmed yet.
  PodIndex assume(const api::Pod& object, const CompiledPodSpecPtr& compiled_spec, NodeIndex node);
  ClusterEventPtr forget(std::string_view uid);  // the pod was not bound
  // For what-if searches. unassign() removes a pod from its node; the pod keeps its place in pods(), with kNoNode.
  // assign() adds it to another node or to the same one. No event is created. Only one search may run at a time, and it
  // restores all pods at its end.
  void unassign(PodIndex index);
  void assign(PodIndex index, NodeIndex node);
  // The load of each node, and the values for all nodes. Usually usage::LoadTracker sets them. The caller that feeds
  // the LoadTracker also wakes the pods that wait for a node with less load.
  void set_load(NodeIndex node, const NodeLoad& load);
  void set_load_summary(LoadSummary load_summary);
  void set_load_time(WallTime now) { load_time_ = now; }
  void upsert_namespace(const api::Namespace& object);
  void remove_namespace(std::string_view name);

  // A waiting pod as if it were assigned to the node: for a what-if, or for the event that its nominated place is free.
  AssignedPod hypothetical_pod(const api::Pod& object, const CompiledPodSpecPtr& compiled_spec, NodeIndex node);

  // --- State. ---
  CompiledPodSpecPtr compiled_spec_of(const api::Pod& object) { return compiled(object, RequestsOf::Incoming); }
  // By NodeIndex; some do not exist (NodeInfo::exists).
  const PagedVector<NodeInfo>& nodes() const { return nodes_; }
  const NodeInfo& node(NodeIndex index) const { return nodes_[index]; }
  // The nodes that exist, in order, and the generation of each node by NodeIndex. They are kept outside NodeInfo
  // because a decision reads them for all nodes, but reads the NodeInfo of few.
  const std::vector<NodeIndex>& existing_nodes() const { return existing_; }
  const std::vector<std::uint64_t>& generations() const { return generations_; }
  std::optional<NodeIndex> find_node(std::string_view name) const;  // only a node that exists
  std::size_t node_count() const { return node_count_; }
  // Changes when a node is added or removed, and when a field of a node changes that plugins read. Pods, conditions
  // and annotations do not change it.
  std::uint64_t nodes_version() const { return nodes_version_; }

  const PagedVector<AssignedPod>& pods() const { return pods_; }  // by PodIndex; the uid of an unused place is empty
  const AssignedPod& pod(PodIndex index) const { return pods_[index]; }
  const PodFacts& facts(PodIndex index) const { return facts_[index]; }
  std::optional<PodIndex> find_pod(std::string_view uid) const;
  std::size_t pod_count() const { return pod_count_; }
  std::size_t assumed_count() const { return assumed_; }

  const Interner& interner() const { return interner_; }
  Interner& interner() { return interner_; }
  const std::string& text(Symbol symbol) const { return interner_.symbols.text(symbol); }
  const Namespaces& namespaces() const { return namespaces_; }
  OptOut opt_out_of_namespace(Symbol ns) const;
  Namespaces& namespaces() { return namespaces_; }
  const PodCounts& counts() const { return counts_; }
  const Topology& topology() const { return topology_; }
  const LoadSummary& load_summary() const { return load_summary_; }
  // The time of the last update of the loads. Decisions have no clock of their own.
  WallTime load_time() const { return load_time_; }
  const Images& images() const { return images_; }
  const Owners& owners() const { return owners_; }
  Owners& owners() { return owners_; }
  const Budgets& budgets() const { return budgets_; }
  Budgets& budgets() { return budgets_; }
  const Volumes& volumes() const { return volumes_; }
  Volumes& volumes() { return volumes_; }

  // --- Queries to prepare: the model keeps their results up to date from now on. ---
  void prepare(const PodMatch& match) { counts_.prepare(match, pods_); }
  void prepare(Symbol topology_key) { topology_.prepare(topology_key, nodes_); }

 private:
  // Finds pods by uid without a second copy of the uid: a cluster has very many pods.
  struct UidHash {
    using is_transparent = void;
    const PagedVector<AssignedPod>* pods;
    std::size_t operator()(std::string_view uid) const { return std::hash<std::string_view>{}(uid); }
    std::size_t operator()(PodIndex index) const { return (*this)((*pods)[index].uid); }
  };
  struct UidEqual {
    using is_transparent = void;
    const PagedVector<AssignedPod>* pods;
    bool operator()(PodIndex left, PodIndex right) const { return left == right; }
    bool operator()(PodIndex left, std::string_view right) const { return (*pods)[left].uid == right; }
    bool operator()(std::string_view left, PodIndex right) const { return (*pods)[right].uid == left; }
  };

  using UidIndex = boost::unordered_flat_set<PodIndex, UidHash, UidEqual>;

  NodeIndex place_for(std::string_view name);
  void drop_if_unused(NodeIndex index);
  void renew(NodeInfo& node) { generations_[node.index] = node.generation = ++generation_; }
  void node_object_changed(NodeInfo& node, std::shared_ptr<const Node> now);
  PodIndex put(AssignedPod pod, PodFacts facts);
  AssignedPod take_out(PodIndex index);
  CompiledPodSpecPtr compiled(const api::Pod& object, RequestsOf which);
  AssignedPod compile(const api::Pod& object);
  PodFacts compile_facts(const api::Pod& object);
  OwnerPtr shared(OwnerRef owner);
  ClusterEventPtr make_event(ClusterEvent cluster_event) const;
  UidIndex& uids() const;

  Interner interner_;
  Namespaces namespaces_{interner_.selectors};
  PodSpecCache pod_specs_{interner_, namespaces_};
  PagedVector<NodeInfo> nodes_;
  Cow<std::vector<std::string>> names_;  // of all places in nodes_, also of nodes that do not exist
  std::vector<NodeIndex> existing_;
  std::vector<std::uint64_t> generations_;
  std::vector<NodeIndex> free_nodes_;
  Cow<boost::unordered_flat_map<std::string, NodeIndex>> nodes_by_name_;
  std::size_t node_count_ = 0;
  PagedVector<AssignedPod> pods_;
  PagedVector<PodFacts> facts_;  // by PodIndex
  std::size_t pod_count_ = 0;
  std::vector<PodIndex> free_pods_;
  mutable UidIndex pods_by_uid_{0, UidHash{&pods_}, UidEqual{&pods_}};
  mutable bool uids_known_ = true;  // false in a copy, until its first lookup: many copies need none
  std::size_t assumed_ = 0;
  // Pods of one owner share its OwnerRef. By key_of(); a copy of the cluster starts without.
  boost::unordered_flat_map<std::string, std::weak_ptr<const OwnerRef>> owner_refs_;
  std::size_t sweep_owner_refs_at_ = 1024;
  boost::unordered_flat_map<Symbol, OptOut> opt_outs_;  // by namespace; a namespace without an entry: No
  PodCounts counts_{namespaces_, interner_.selectors};
  Topology topology_;
  Images images_;
  Owners owners_{interner_};
  Budgets budgets_{interner_};
  Volumes volumes_{interner_};
  LoadSummary load_summary_;
  WallTime load_time_{};
  bool listened_to_ = true;
  std::uint64_t generation_;
  std::uint64_t nodes_version_ = 0;
};

}  // namespace rescheduler::cluster
