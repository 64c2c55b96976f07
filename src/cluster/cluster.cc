#include "cluster/cluster.h"

#include <algorithm>
#include <atomic>

#include "base/check.h"
#include "cluster/node_changes.h"
#include "cluster/objects/annotations.h"
#include "cluster/objects/pods.h"
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
// generation of another. A cluster has room for 2^40 (about 10^12) changes. A copy lives for one plan: it has room for
// 2^28 changes, in the upper half of the numbers, so that the ranges last for 10^10 copies.
std::uint64_t first_generation() {
  static std::atomic<std::uint64_t> clusters{0};
  return clusters.fetch_add(1, std::memory_order_relaxed) << 40U;
}

std::uint64_t first_generation_of_copy() {
  constexpr std::uint64_t kUpperHalf = std::uint64_t{1} << 63U;
  static std::atomic<std::uint64_t> copies{0};
  return kUpperHalf + (copies.fetch_add(1, std::memory_order_relaxed) << 28U);
}

}  // namespace

Cluster::Cluster() : generation_(first_generation()) {}

// Nodes keep their generations: their state is the same. Later changes get numbers that the original never uses.
Cluster::Cluster(const Cluster& other)
    : interner_(other.interner_),
      namespaces_(other.namespaces_, interner_.selectors),
      pod_specs_(other.pod_specs_, interner_, namespaces_),
      nodes_(other.nodes_),
      names_(other.names_),
      existing_(other.existing_),
      generations_(other.generations_),
      free_nodes_(other.free_nodes_),
      nodes_by_name_(other.nodes_by_name_),
      node_count_(other.node_count_),
      pods_(other.pods_),
      facts_(other.facts_),
      pod_count_(other.pod_count_),
      free_pods_(other.free_pods_),
      uids_known_(false),
      assumed_(other.assumed_),
      opt_outs_(other.opt_outs_),
      counts_(other.counts_, namespaces_, interner_.selectors),
      topology_(other.topology_),
      images_(other.images_),
      owners_(other.owners_, interner_),
      budgets_(other.budgets_, interner_),
      volumes_(other.volumes_, interner_),
      load_summary_(other.load_summary_),
      load_time_(other.load_time_),
      listened_to_(other.listened_to_),
      generation_(first_generation_of_copy()),
      nodes_version_(other.nodes_version_) {}

ClusterEventPtr Cluster::make_event(ClusterEvent cluster_event) const {
  if (!listened_to_) return nullptr;
  return std::make_shared<const ClusterEvent>(std::move(cluster_event));
}

// --- Nodes ---

NodeIndex Cluster::place_for(std::string_view name) {
  const auto known = nodes_by_name_->find(std::string(name));
  if (known != nodes_by_name_->end()) return known->second;
  auto index = static_cast<NodeIndex>(nodes_.size());
  if (free_nodes_.empty()) {
    nodes_.emplace_back();
  } else {
    index = free_nodes_.back();
    free_nodes_.pop_back();
    nodes_.write(index) = NodeInfo{};
  }
  nodes_by_name_.write().emplace(name, index);
  NodeInfo& node = nodes_.write(index);
  node.index = index;
  auto& names = names_.write();
  names.resize(nodes_.size());
  generations_.resize(nodes_.size(), 0);
  names[index] = name;
  renew(node);
  return index;
}

void Cluster::drop_if_unused(NodeIndex index) {
  const NodeInfo& node = nodes_[index];
  if (node.exists() || !node.pods.empty()) return;
  nodes_by_name_.write().erase((*names_)[node.index]);
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
  const NodeIndex index = place_for(now->name);
  const std::shared_ptr<const Node> before = nodes_[index].node;
  if (!before) {
    ++node_count_;
    node_object_changed(nodes_.write(index), now);
    return make_event({.resource = EventResource::Node,
                       .actions = ActionType::Add,
                       .label = "NodeAdd",
                       .node_after = std::move(now)});
  }
  if (*before == *now) return nullptr;
  if (same_for_placement(*before, *now)) {
    nodes_.write(index).node = now;
  } else {
    node_object_changed(nodes_.write(index), now);
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
  NodeInfo& node = nodes_.write(*index);
  std::shared_ptr<const Node> before = node.node;
  --node_count_;
  node_object_changed(node, nullptr);
  drop_if_unused(*index);
  return make_event({.resource = EventResource::Node,
                     .actions = ActionType::Delete,
                     .label = "NodeDelete",
                     .node_before = std::move(before)});
}

std::optional<NodeIndex> Cluster::find_node(std::string_view name) const {
  const auto known = nodes_by_name_->find(std::string(name));
  if (known == nodes_by_name_->end() || !nodes_[known->second].exists()) return std::nullopt;
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
  pod.started = kube::wall_time(object.status().start_time());
  pod.terminating = object.metadata().has_deletion_timestamp();
  pod.being_preempted = pod.terminating && is_preemption_victim(object);
  return pod;
}

PodFacts Cluster::compile_facts(const api::Pod& object) {
  PodFacts facts = facts_of(object, interner_.symbols);
  if (OwnerRef owner = owner_of(object.metadata()); !owner.kind.empty()) {
    owner.workload = workload_key(object);
    facts.owner = shared(std::move(owner));
  }
  return facts;
}

OwnerPtr Cluster::shared(OwnerRef owner) {
  auto& known = owner_refs_[key_of(owner)];
  if (OwnerPtr one = known.lock(); one && *one == owner) return one;
  auto made = std::make_shared<const OwnerRef>(std::move(owner));
  known = made;
  if (owner_refs_.size() >= sweep_owner_refs_at_) {
    boost::unordered::erase_if(owner_refs_, [](const auto& entry) { return entry.second.expired(); });
    sweep_owner_refs_at_ = std::max<std::size_t>(1024, 2 * owner_refs_.size());
  }
  return made;
}

PodIndex Cluster::put(AssignedPod pod, PodFacts facts) {
  PodIndex index = static_cast<PodIndex>(pods_.size());
  if (free_pods_.empty()) {
    pods_.emplace_back();
    facts_.emplace_back();
  } else {
    index = free_pods_.back();
    free_pods_.pop_back();
  }
  if (pod.assumed) ++assumed_;
  AssignedPod& placed = pods_.write(index) = std::move(pod);
  facts_.write(index) = std::move(facts);
  uids().insert(index);
  ++pod_count_;
  NodeInfo& node = nodes_.write(placed.node);
  node.add_pod(index, *placed.compiled_spec);
  renew(node);
  counts_.add(placed);
  volumes_.pod_added(placed);
  return index;
}

AssignedPod Cluster::take_out(PodIndex index) {
  uids().erase(index);
  --pod_count_;
  AssignedPod pod = std::exchange(pods_.write(index), AssignedPod{});
  facts_.write(index) = PodFacts{};
  free_pods_.push_back(index);
  if (pod.assumed) --assumed_;
  counts_.remove(pod);
  volumes_.pod_removed(pod);
  NodeInfo& node = nodes_.write(pod.node);
  node.remove_pod(index, *pod.compiled_spec);
  renew(node);
  return pod;
}

ClusterEventPtr Cluster::upsert_pod(const api::Pod& object) {
  AssignedPod now = compile(object);
  now.node = place_for(object.spec().node_name());
  PodFacts facts = compile_facts(object);
  const auto known = find_pod(now.uid);
  if (!known) {
    const PodIndex index = put(std::move(now), std::move(facts));
    return !listened_to_ ? nullptr
                         : make_event({.resource = EventResource::AssignedPod,
                                       .actions = ActionType::Add,
                                       .label = "AssignedPodAdd",
                                       .pod_after = std::make_shared<const AssignedPod>(pods_[index])});
  }
  const PodIndex index = *known;
  const bool confirmed = pods_[index].assumed;
  if (same_for_placement(pods_[index], now)) {
    if (facts_[index] != facts) facts_.write(index) = std::move(facts);
    if (confirmed) {
      pods_.write(index).assumed = false;
      --assumed_;
    }
    if (!confirmed || !listened_to_) return nullptr;
    return make_event({.resource = EventResource::AssignedPod,
                       .actions = ActionType::Add,
                       .label = "AssignedPodAdd",
                       .pod_after = std::make_shared<const AssignedPod>(pods_[index])});
  }
  const AssignedPod before = take_out(index);
  const PodIndex place = put(std::move(now), std::move(facts));
  drop_if_unused(before.node);
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
  drop_if_unused(before.node);
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
  return put(std::move(pod), compile_facts(object));
}

ClusterEventPtr Cluster::forget(std::string_view uid) {
  const auto index = find_pod(uid);
  if (!index || !pods_[*index].assumed) return nullptr;
  return remove_pod(uid);
}

std::optional<PodIndex> Cluster::find_pod(std::string_view uid) const {
  const auto known = uids().find(uid);
  if (known == pods_by_uid_.end()) return std::nullopt;
  return *known;
}

Cluster::UidIndex& Cluster::uids() const {
  if (!uids_known_) {
    uids_known_ = true;
    pods_by_uid_.reserve(pod_count_);
    for (PodIndex index{0}; index < pods_.size(); ++index) {
      if (!pods_[index].uid.empty()) pods_by_uid_.insert(index);
    }
  }
  return pods_by_uid_;
}

// --- What-if ---

void Cluster::unassign(PodIndex index) {
  AssignedPod& pod = pods_.write(index);
  RESCHEDULER_CHECK(pod.node != kNoNode, "pod {} is unassigned twice", pod.name);
  counts_.remove(pod);
  volumes_.pod_removed(pod);
  NodeInfo& node = nodes_.write(pod.node);
  node.remove_pod(index, *pod.compiled_spec);
  renew(node);
  pod.node = kNoNode;
}

void Cluster::assign(PodIndex index, NodeIndex to) {
  AssignedPod& pod = pods_.write(index);
  RESCHEDULER_CHECK(pod.node == kNoNode, "pod {} is assigned twice", pod.name);
  pod.node = to;
  NodeInfo& node = nodes_.write(to);
  node.add_pod(index, *pod.compiled_spec);
  renew(node);
  counts_.add(pod);
  volumes_.pod_added(pod);
}

// --- Loads ---

void Cluster::set_load(NodeIndex index, const NodeLoad& load) {
  NodeInfo& node = nodes_.write(index);
  node.load = load;
  renew(node);
}

void Cluster::set_load_summary(LoadSummary load_summary) {
  load_summary_ = std::move(load_summary);
  for (const NodeIndex index : existing_) renew(nodes_.write(index));
}

// --- Namespaces ---

void Cluster::upsert_namespace(const api::Namespace& object) {
  const Symbol name = interner_.symbols.intern(object.metadata().name());
  opt_outs_.insert_or_assign(name, opt_out_of(object.metadata()));
  if (namespaces_.upsert(name, interner_.labels.intern(object.metadata().labels()))) counts_.recount(pods_);
}

void Cluster::remove_namespace(std::string_view name) {
  opt_outs_.erase(interner_.symbols.intern(name));
  if (namespaces_.remove(interner_.symbols.intern(name))) counts_.recount(pods_);
}

OptOut Cluster::opt_out_of_namespace(Symbol ns) const {
  const auto found = opt_outs_.find(ns);
  return found == opt_outs_.end() ? OptOut::No : found->second;
}

}  // namespace rescheduler::cluster
