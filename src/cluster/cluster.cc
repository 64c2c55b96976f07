#include "cluster/cluster.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "cluster/node_changes.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/time.h"

namespace rescheduler::cluster {
namespace {

bool is_preemption_victim(const api::Pod& object) {
  return std::ranges::any_of(object.status().conditions(), [](const api::PodCondition& condition) {
    return condition.type() == "DisruptionTarget" && condition.status() == "True"
           && condition.reason() == "PreemptionByScheduler";
  });
}

WallTime start_of(const api::Pod& object) {
  if (!object.status().has_start_time()) return {};
  const auto& time = object.status().start_time();
  const auto started = kube::time_from_unix(time.seconds(), time.nanos());
  return started ? *started : WallTime{};
}

// Compares the fields that plugins read. Conditions and annotations are not among them.
bool same_for_placement(const Node& a, const Node& b) {
  return a.labels == b.labels && a.taints == b.taints && a.unschedulable == b.unschedulable
         && a.allocatable == b.allocatable && a.allowed_pods == b.allowed_pods && a.images == b.images
         && a.features == b.features;
}

bool same_for_placement(const AssignedPod& a, const AssignedPod& b) {
  return a.compiled_spec == b.compiled_spec && a.labels == b.labels && a.node == b.node && a.started == b.started
         && a.terminating == b.terminating && a.being_preempted == b.being_preempted;
}

// Each cluster starts its generations at a different number, so that a cached result of one cluster never matches a
// generation of another. Each cluster has room for 2^40 (about 10^12) changes.
std::uint64_t first_generation() {
  constexpr std::uint64_t kChanges = std::uint64_t{1} << 40U;
  static std::atomic<std::uint64_t> clusters{0};
  return kChanges * clusters.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Cluster::Cluster() : generation_(first_generation()) {}

ClusterEventPtr Cluster::make_event(ClusterEvent cluster_event) const {
  if (!listened_to_) return nullptr;
  return std::make_shared<const ClusterEvent>(std::move(cluster_event));
}

// --- Nodes ---

NodeInfo& Cluster::place_for(std::string_view name) {
  const auto [known, fresh] = nodes_by_name_.try_emplace(std::string(name), kNoNode);
  if (!fresh) return nodes_[known->second];
  if (free_nodes_.empty()) {
    known->second = static_cast<NodeIndex>(nodes_.size());
    nodes_.emplace_back();
  } else {
    known->second = free_nodes_.back();
    free_nodes_.pop_back();
    nodes_[known->second] = NodeInfo{};
  }
  NodeInfo& node = nodes_[known->second];
  node.index = known->second;
  names_.resize(nodes_.size());
  generations_.resize(nodes_.size(), 0);
  names_[node.index] = name;
  renew(node);
  return node;
}

void Cluster::drop_if_unused(NodeInfo& node) {
  if (node.exists() || !node.pods.empty()) return;
  nodes_by_name_.erase(names_[node.index]);
  free_nodes_.push_back(node.index);
}

void Cluster::node_object_changed(NodeInfo& node, std::shared_ptr<const Node> now) {
  if (node.node) images_.remove(*node.node);
  const auto place = std::ranges::lower_bound(existing_, node.index);
  if (node.node && !now) existing_.erase(place);
  if (!node.node && now) existing_.insert(place, node.index);
  if (now) images_.add(*now);
  if (!now) node.load = {};
  node.node = std::move(now);
  renew(node);
  topology_.node_changed(node);
  ++nodes_version_;
}

ClusterEventPtr Cluster::upsert_node(const api::Node& object) {
  auto now = std::make_shared<const Node>(compile_node(object, interner_));
  NodeInfo& node = place_for(now->name);
  const std::shared_ptr<const Node> before = node.node;
  if (!before) {
    ++node_count_;
    node_object_changed(node, now);
    return make_event({.resource = EventResource::Node,
                       .actions = ActionType::Add,
                       .label = "NodeAdd",
                       .node_after = std::move(now)});
  }
  if (*before == *now) return nullptr;
  if (same_for_placement(*before, *now)) {
    node.node = now;
  } else {
    node_object_changed(node, now);
  }
  const ActionTypes changes = changes_between(*before, *now);
  if (changes.empty()) return nullptr;
  return make_event({.resource = EventResource::Node,
                     .actions = changes,
                     .label = "NodeUpdate",
                     .node_before = before,
                     .node_after = std::move(now)});
}

ClusterEventPtr Cluster::remove_node(std::string_view name) {
  const auto index = find_node(name);
  if (!index) return nullptr;
  NodeInfo& node = nodes_[*index];
  std::shared_ptr<const Node> before = node.node;
  --node_count_;
  node_object_changed(node, nullptr);
  drop_if_unused(node);
  return make_event({.resource = EventResource::Node,
                     .actions = ActionType::Delete,
                     .label = "NodeDelete",
                     .node_before = std::move(before)});
}

std::optional<NodeIndex> Cluster::find_node(std::string_view name) const {
  const auto known = nodes_by_name_.find(std::string(name));
  if (known == nodes_by_name_.end() || !nodes_[known->second].exists()) return std::nullopt;
  return known->second;
}

// --- Pods ---

// Prepares every topology key of the pod: its own scheduling reads them, and so does the scheduling of other pods.
CompiledPodSpecPtr Cluster::compiled(const api::Pod& object, RequestsOf which) {
  CompiledPodSpecPtr compiled_spec = pod_specs_.of(object, which);
  for (const auto* terms : {&compiled_spec->affinity, &compiled_spec->anti_affinity}) {
    for (const AffinityTerm& term : *terms) prepare(term.topology_key);
  }
  for (const auto* terms : {&compiled_spec->preferred_affinity, &compiled_spec->preferred_anti_affinity}) {
    for (const auto& [term, weight] : *terms) prepare(term.topology_key);
  }
  for (const SpreadConstraint& one : compiled_spec->spread) prepare(one.topology_key);
  return compiled_spec;
}

AssignedPod Cluster::hypothetical_pod(const api::Pod& object, const CompiledPodSpecPtr& compiled_spec, NodeIndex node) {
  AssignedPod pod;
  pod.uid = object.metadata().uid();
  pod.name = object.metadata().name();
  pod.ns = interner_.symbols.intern(object.metadata().namespace_());
  pod.labels = interner_.labels.intern(object.metadata().labels());
  pod.compiled_spec = compiled_spec;
  pod.node = node;
  return pod;
}

AssignedPod Cluster::compile(const api::Pod& object) {
  AssignedPod pod = hypothetical_pod(object, compiled(object, RequestsOf::Placed), kNoNode);
  pod.started = start_of(object);
  pod.terminating = object.metadata().has_deletion_timestamp();
  pod.being_preempted = pod.terminating && is_preemption_victim(object);
  return pod;
}

PodIndex Cluster::put(AssignedPod pod) {
  PodIndex index = static_cast<PodIndex>(pods_.size());
  if (free_pods_.empty()) {
    pods_.emplace_back();
  } else {
    index = free_pods_.back();
    free_pods_.pop_back();
  }
  if (pod.assumed) ++assumed_;
  AssignedPod& placed = pods_[index] = std::move(pod);
  pods_by_uid_.insert(index);
  NodeInfo& node = nodes_[placed.node];
  node.add_pod(index, *placed.compiled_spec);
  renew(node);
  counts_.add(placed);
  volumes_.pod_added(placed);
  return index;
}

AssignedPod Cluster::take_out(PodIndex index) {
  pods_by_uid_.erase(index);
  AssignedPod pod = std::move(pods_[index]);
  pods_[index] = AssignedPod{};
  free_pods_.push_back(index);
  if (pod.assumed) --assumed_;
  counts_.remove(pod);
  volumes_.pod_removed(pod);
  NodeInfo& node = nodes_[pod.node];
  node.remove_pod(index, *pod.compiled_spec);
  renew(node);
  return pod;
}

ClusterEventPtr Cluster::upsert_pod(const api::Pod& object) {
  AssignedPod now = compile(object);
  now.node = place_for(object.spec().node_name()).index;
  const auto known = find_pod(now.uid);
  if (!known) {
    const PodIndex index = put(std::move(now));
    return !listened_to_ ? nullptr
                         : make_event({.resource = EventResource::AssignedPod,
                                       .actions = ActionType::Add,
                                       .label = "AssignedPodAdd",
                                       .pod_after = std::make_shared<const AssignedPod>(pods_[index])});
  }
  const PodIndex index = *known;
  const bool confirmed = pods_[index].assumed;
  if (same_for_placement(pods_[index], now)) {
    if (confirmed) {
      pods_[index].assumed = false;
      --assumed_;
    }
    if (!confirmed || !listened_to_) return nullptr;
    return make_event({.resource = EventResource::AssignedPod,
                       .actions = ActionType::Add,
                       .label = "AssignedPodAdd",
                       .pod_after = std::make_shared<const AssignedPod>(pods_[index])});
  }
  const AssignedPod before = take_out(index);
  const PodIndex place = put(std::move(now));
  drop_if_unused(nodes_[before.node]);
  const ActionTypes changes = confirmed ? ActionTypes(ActionType::Add) : changes_between(before, pods_[place]);
  if (changes.empty() || !listened_to_) return nullptr;
  return make_event({.resource = EventResource::AssignedPod,
                     .actions = changes,
                     .label = confirmed ? "AssignedPodAdd" : "AssignedPodUpdate",
                     .pod_before = confirmed ? nullptr : std::make_shared<const AssignedPod>(before),
                     .pod_after = std::make_shared<const AssignedPod>(pods_[place])});
}

ClusterEventPtr Cluster::remove_pod(std::string_view uid) {
  const auto known = find_pod(uid);
  if (!known) return nullptr;
  AssignedPod before = take_out(*known);
  drop_if_unused(nodes_[before.node]);
  if (!listened_to_) return nullptr;
  return make_event({.resource = EventResource::AssignedPod,
                     .actions = ActionType::Delete,
                     .label = "AssignedPodDelete",
                     .pod_before = std::make_shared<const AssignedPod>(std::move(before))});
}

PodIndex Cluster::assume(const api::Pod& object, const CompiledPodSpecPtr& compiled_spec, NodeIndex node) {
  RESCHEDULER_CHECK(!find_pod(object.metadata().uid()), "pod {}/{} is assumed twice", object.metadata().namespace_(),
                    object.metadata().name());
  AssignedPod pod = hypothetical_pod(object, compiled_spec, node);
  pod.assumed = true;
  return put(std::move(pod));
}

ClusterEventPtr Cluster::forget(std::string_view uid) {
  const auto index = find_pod(uid);
  if (!index || !pods_[*index].assumed) return nullptr;
  return remove_pod(uid);
}

std::optional<PodIndex> Cluster::find_pod(std::string_view uid) const {
  const auto known = pods_by_uid_.find(uid);
  if (known == pods_by_uid_.end()) return std::nullopt;
  return *known;
}

// --- What-if ---

void Cluster::unassign(PodIndex index) {
  AssignedPod& pod = pods_[index];
  RESCHEDULER_CHECK(pod.node != kNoNode, "pod {} is unassigned twice", pod.name);
  counts_.remove(pod);
  volumes_.pod_removed(pod);
  NodeInfo& node = nodes_[pod.node];
  node.remove_pod(index, *pod.compiled_spec);
  renew(node);
  pod.node = kNoNode;
}

void Cluster::assign(PodIndex index, NodeIndex to) {
  AssignedPod& pod = pods_[index];
  RESCHEDULER_CHECK(pod.node == kNoNode, "pod {} is assigned twice", pod.name);
  pod.node = to;
  NodeInfo& node = nodes_[to];
  node.add_pod(index, *pod.compiled_spec);
  renew(node);
  counts_.add(pod);
  volumes_.pod_added(pod);
}

// --- Loads ---

void Cluster::set_load(NodeIndex index, const NodeLoad& load) {
  nodes_[index].load = load;
  renew(nodes_[index]);
}

void Cluster::set_load_summary(LoadSummary load_summary) {
  load_summary_ = std::move(load_summary);
  for (const NodeIndex index : existing_) renew(nodes_[index]);
}

// --- Namespaces ---

void Cluster::upsert_namespace(const api::Namespace& object) {
  const Symbol name = interner_.symbols.intern(object.metadata().name());
  if (namespaces_.upsert(name, interner_.labels.intern(object.metadata().labels()))) counts_.recount(pods_);
}

void Cluster::remove_namespace(std::string_view name) {
  if (namespaces_.remove(interner_.symbols.intern(name))) counts_.recount(pods_);
}

}  // namespace rescheduler::cluster
