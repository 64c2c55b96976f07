// The model of a cluster: what the API server said, in the shape in which placement asks. Belongs to one thread; a
// decision only reads it.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "cluster/assigned_pod.h"
#include "cluster/budgets.h"
#include "cluster/cluster_event.h"
#include "cluster/images.h"
#include "cluster/interner.h"
#include "cluster/node.h"
#include "cluster/owners.h"
#include "cluster/pod_counts.h"
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
  Cluster(const Cluster&) = delete;
  Cluster& operator=(const Cluster&) = delete;

  // --- What happens. Each answers what it may mean to waiting pods; null: nothing, or nobody listens. ---
  void listen(bool somebody_waits) { listened_to_ = somebody_waits; }
  ClusterEventPtr upsert_node(const api::Node& object);
  ClusterEventPtr remove_node(std::string_view name);
  // A pod that has a node, whoever gave it; also confirms an assumed one.
  ClusterEventPtr upsert_pod(const api::Pod& object);
  ClusterEventPtr remove_pod(std::string_view uid);
  // Our own decision, ahead of the API server's word.
  PodIndex assume(const api::Pod& object, const CompiledPodSpecPtr& compiled_spec, NodeIndex node);
  ClusterEventPtr forget(std::string_view uid);  // the assumption was wrong
  // To try out what would be: a pod is taken off its node - it keeps its place in pods(), with kNoNode - and put down
  // on another, or on the same again. Nobody is told. Not more than one search at a time, and all back at its end.
  void unassign(PodIndex index);
  void assign(PodIndex index, NodeIndex node);
  // How busy nodes are: each by itself, and what holds for all. Usually usage::LoadTracker says so; who waits for a
  // cooler node is woken by whoever feeds that.
  void set_load(NodeIndex node, const NodeLoad& load);
  void set_load_summary(LoadSummary load_summary);
  void upsert_namespace(const api::Namespace& object);
  void remove_namespace(std::string_view name);

  // A waiting pod as if it were on a node: to imagine it there, or to say that the room kept for it is free.
  AssignedPod hypothetical_pod(const api::Pod& object, const CompiledPodSpecPtr& compiled_spec, NodeIndex node);

  // --- What is. ---
  CompiledPodSpecPtr compiled_spec_of(const api::Pod& object) { return compiled(object, RequestsOf::Incoming); }
  // By NodeIndex; some do not exist (NodeInfo::exists).
  const std::vector<NodeInfo>& nodes() const { return nodes_; }
  const NodeInfo& node(NodeIndex index) const { return nodes_[index]; }
  // Those that exist, in order; and every node's generation by NodeIndex. Apart from the states, because a decision
  // looks at these of all nodes and at the states of few.
  const std::vector<NodeIndex>& existing_nodes() const { return existing_; }
  const std::vector<std::uint64_t>& generations() const { return generations_; }
  std::optional<NodeIndex> find_node(std::string_view name) const;  // only one that exists
  std::size_t node_count() const { return node_count_; }
  // Changes when a node comes, goes, or its object changes in more than a heartbeat; pods do not change it.
  std::uint64_t nodes_version() const { return nodes_version_; }

  const std::vector<AssignedPod>& pods() const { return pods_; }  // by PodIndex; the uid of an unused place is empty
  const AssignedPod& pod(PodIndex index) const { return pods_[index]; }
  std::optional<PodIndex> find_pod(std::string_view uid) const;
  std::size_t pod_count() const { return pods_by_uid_.size(); }
  std::size_t assumed_count() const { return assumed_; }

  const Interner& interner() const { return interner_; }
  Interner& interner() { return interner_; }
  const std::string& text(Symbol symbol) const { return interner_.symbols.text(symbol); }
  const Namespaces& namespaces() const { return namespaces_; }
  Namespaces& namespaces() { return namespaces_; }
  const PodCounts& counts() const { return counts_; }
  const Topology& topology() const { return topology_; }
  const LoadSummary& load_summary() const { return load_summary_; }
  const Images& images() const { return images_; }
  const Owners& owners() const { return owners_; }
  Owners& owners() { return owners_; }
  const Budgets& budgets() const { return budgets_; }
  Budgets& budgets() { return budgets_; }
  const Volumes& volumes() const { return volumes_; }
  Volumes& volumes() { return volumes_; }

  // --- What will be asked: kept up to date from now on. ---
  void prepare(const PodMatch& match) { counts_.prepare(match, pods_); }
  void prepare(Symbol topology_key) { topology_.prepare(topology_key, nodes_); }

 private:
  // Pods found by their uid without another copy of it: there are very many.
  struct UidHash {
    using is_transparent = void;
    const std::vector<AssignedPod>* pods;
    std::size_t operator()(std::string_view uid) const { return std::hash<std::string_view>{}(uid); }
    std::size_t operator()(PodIndex index) const { return (*this)((*pods)[index].uid); }
  };
  struct UidEqual {
    using is_transparent = void;
    const std::vector<AssignedPod>* pods;
    bool operator()(PodIndex left, PodIndex right) const { return left == right; }
    bool operator()(PodIndex left, std::string_view right) const { return (*pods)[left].uid == right; }
    bool operator()(std::string_view left, PodIndex right) const { return (*pods)[right].uid == left; }
  };

  NodeInfo& place_for(std::string_view name);
  void drop_if_unused(NodeInfo& node);
  void renew(NodeInfo& node) { generations_[node.index] = node.generation = ++generation_; }
  void node_object_changed(NodeInfo& node, std::shared_ptr<const Node> now);
  PodIndex put(AssignedPod pod);
  AssignedPod take_out(PodIndex index);
  CompiledPodSpecPtr compiled(const api::Pod& object, RequestsOf which);
  AssignedPod compile(const api::Pod& object);
  ClusterEventPtr tell(ClusterEvent cluster_event) const;

  Interner interner_;
  Namespaces namespaces_{interner_.selectors};
  PodSpecCache pod_specs_{interner_, namespaces_};
  std::vector<NodeInfo> nodes_;
  std::vector<std::string> names_;  // of nodes, also of those that do not exist
  std::vector<NodeIndex> existing_;
  std::vector<std::uint64_t> generations_;
  std::vector<NodeIndex> free_nodes_;
  boost::unordered_flat_map<std::string, NodeIndex> nodes_by_name_;
  std::size_t node_count_ = 0;
  std::vector<AssignedPod> pods_;
  std::vector<PodIndex> free_pods_;
  boost::unordered_flat_set<PodIndex, UidHash, UidEqual> pods_by_uid_{0, UidHash{&pods_}, UidEqual{&pods_}};
  std::size_t assumed_ = 0;
  PodCounts counts_{namespaces_, interner_.selectors};
  Topology topology_;
  Images images_;
  Owners owners_{interner_};
  Budgets budgets_{interner_};
  Volumes volumes_{interner_};
  LoadSummary load_summary_;
  bool listened_to_ = true;
  std::uint64_t generation_;
  std::uint64_t nodes_version_ = 0;
};

}  // namespace rescheduler::cluster
