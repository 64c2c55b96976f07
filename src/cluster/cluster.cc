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

bool made_room_for_another(const api::Pod& object) {
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

// What plugins look at; conditions and annotations are not among it.
bool same_for_placement(const Node& a, const Node& b) {
  return a.labels == b.labels && a.taints == b.taints && a.unschedulable == b.unschedulable
         && a.allocatable == b.allocatable && a.allowed_pods == b.allowed_pods && a.images == b.images
         && a.features == b.features;
}

bool same_for_placement(const PlacedPod& a, const PlacedPod& b) {
  return a.form == b.form && a.labels == b.labels && a.node == b.node && a.started == b.started
         && a.terminating == b.terminating && a.being_preempted == b.being_preempted;
}

// Each cluster counts its states from a number of its own, so that what somebody remembers of one is never taken for
// another's. A trillion changes each.
std::uint64_t first_generation() {
  constexpr std::uint64_t kChanges = std::uint64_t{1} << 40U;
  static std::atomic<std::uint64_t> clusters{0};
  return kChanges * clusters.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace

Cluster::Cluster() : generation_(first_generation()) {}

HappeningPtr Cluster::tell(Happening happening) const {
  if (!listened_to_) return nullptr;
  return std::make_shared<const Happening>(std::move(happening));
}

// --- Nodes ---

NodeState& Cluster::place_for(std::string_view name) {
  const auto [known, fresh] = nodes_by_name_.try_emplace(std::string(name), kNoNode);
  if (!fresh) return nodes_[known->second];
  if (free_nodes_.empty()) {
    known->second = static_cast<NodeIndex>(nodes_.size());
    nodes_.emplace_back();
  } else {
    known->second = free_nodes_.back();
    free_nodes_.pop_back();
    nodes_[known->second] = NodeState{};
  }
  NodeState& node = nodes_[known->second];
  node.index = known->second;
  names_.resize(nodes_.size());
  generations_.resize(nodes_.size(), 0);
  names_[node.index] = name;
  renew(node);
  return node;
}

void Cluster::drop_if_unused(NodeState& node) {
  if (node.exists() || !node.pods.empty()) return;
  nodes_by_name_.erase(names_[node.index]);
  free_nodes_.push_back(node.index);
}

void Cluster::node_object_changed(NodeState& node, std::shared_ptr<const Node> now) {
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

HappeningPtr Cluster::upsert_node(const api::Node& object) {
  auto now = std::make_shared<const Node>(compile_node(object, words_));
  NodeState& node = place_for(now->name);
  const std::shared_ptr<const Node> before = node.node;
  if (!before) {
    ++node_count_;
    node_object_changed(node, now);
    return tell({.subject = Subject::Node, .changes = Change::Add, .label = "NodeAdd", .node_after = std::move(now)});
  }
  if (*before == *now) return nullptr;
  if (same_for_placement(*before, *now)) {
    node.node = now;
  } else {
    node_object_changed(node, now);
  }
  const Changes changes = changes_between(*before, *now);
  if (changes.empty()) return nullptr;
  return tell({.subject = Subject::Node,
               .changes = changes,
               .label = "NodeUpdate",
               .node_before = before,
               .node_after = std::move(now)});
}

HappeningPtr Cluster::remove_node(std::string_view name) {
  const auto index = find_node(name);
  if (!index) return nullptr;
  NodeState& node = nodes_[*index];
  std::shared_ptr<const Node> before = node.node;
  --node_count_;
  node_object_changed(node, nullptr);
  drop_if_unused(node);
  return tell(
      {.subject = Subject::Node, .changes = Change::Delete, .label = "NodeDelete", .node_before = std::move(before)});
}

std::optional<NodeIndex> Cluster::find_node(std::string_view name) const {
  const auto known = nodes_by_name_.find(std::string(name));
  if (known == nodes_by_name_.end() || !nodes_[known->second].exists()) return std::nullopt;
  return known->second;
}

// --- Pods ---

// Whatever topology a pod speaks of will be asked about, by its own placing or by that of others.
PodFormPtr Cluster::compiled(const api::Pod& object, RequestsOf which) {
  PodFormPtr form = forms_.of(object, which);
  for (const auto* terms : {&form->affinity, &form->anti_affinity}) {
    for (const AffinityTerm& term : *terms) prepare(term.topology_key);
  }
  for (const auto* terms : {&form->preferred_affinity, &form->preferred_anti_affinity}) {
    for (const auto& [term, weight] : *terms) prepare(term.topology_key);
  }
  for (const SpreadConstraint& one : form->spread) prepare(one.topology_key);
  return form;
}

PlacedPod Cluster::imagine(const api::Pod& object, const PodFormPtr& form, NodeIndex node) {
  PlacedPod pod;
  pod.uid = object.metadata().uid();
  pod.name = object.metadata().name();
  pod.ns = words_.symbols.of(object.metadata().namespace_());
  pod.labels = words_.labels.of(object.metadata().labels());
  pod.form = form;
  pod.node = node;
  return pod;
}

PlacedPod Cluster::compile(const api::Pod& object) {
  PlacedPod pod = imagine(object, compiled(object, RequestsOf::Placed), kNoNode);
  pod.started = start_of(object);
  pod.terminating = object.metadata().has_deletion_timestamp();
  pod.being_preempted = pod.terminating && made_room_for_another(object);
  return pod;
}

PodIndex Cluster::put(PlacedPod pod) {
  PodIndex index = static_cast<PodIndex>(pods_.size());
  if (free_pods_.empty()) {
    pods_.emplace_back();
  } else {
    index = free_pods_.back();
    free_pods_.pop_back();
  }
  if (pod.assumed) ++assumed_;
  PlacedPod& placed = pods_[index] = std::move(pod);
  pods_by_uid_.insert(index);
  NodeState& node = nodes_[placed.node];
  node.take_in(index, *placed.form);
  renew(node);
  counts_.add(placed);
  volumes_.pod_added(placed);
  return index;
}

PlacedPod Cluster::take_out(PodIndex index) {
  pods_by_uid_.erase(index);
  PlacedPod pod = std::move(pods_[index]);
  pods_[index] = PlacedPod{};
  free_pods_.push_back(index);
  if (pod.assumed) --assumed_;
  counts_.remove(pod);
  volumes_.pod_removed(pod);
  NodeState& node = nodes_[pod.node];
  node.let_go(index, *pod.form);
  renew(node);
  return pod;
}

HappeningPtr Cluster::upsert_pod(const api::Pod& object) {
  PlacedPod now = compile(object);
  now.node = place_for(object.spec().node_name()).index;
  const auto known = find_pod(now.uid);
  if (!known) {
    const PodIndex index = put(std::move(now));
    return !listened_to_ ? nullptr
                         : tell({.subject = Subject::AssignedPod,
                                 .changes = Change::Add,
                                 .label = "AssignedPodAdd",
                                 .pod_after = std::make_shared<const PlacedPod>(pods_[index])});
  }
  const PodIndex index = *known;
  const bool confirmed = pods_[index].assumed;
  if (same_for_placement(pods_[index], now)) {
    if (confirmed) {
      pods_[index].assumed = false;
      --assumed_;
    }
    if (!confirmed || !listened_to_) return nullptr;
    return tell({.subject = Subject::AssignedPod,
                 .changes = Change::Add,
                 .label = "AssignedPodAdd",
                 .pod_after = std::make_shared<const PlacedPod>(pods_[index])});
  }
  const PlacedPod before = take_out(index);
  const PodIndex place = put(std::move(now));
  drop_if_unused(nodes_[before.node]);
  const Changes changes = confirmed ? Changes(Change::Add) : changes_between(before, pods_[place]);
  if (changes.empty() || !listened_to_) return nullptr;
  return tell({.subject = Subject::AssignedPod,
               .changes = changes,
               .label = confirmed ? "AssignedPodAdd" : "AssignedPodUpdate",
               .pod_before = confirmed ? nullptr : std::make_shared<const PlacedPod>(before),
               .pod_after = std::make_shared<const PlacedPod>(pods_[place])});
}

HappeningPtr Cluster::remove_pod(std::string_view uid) {
  const auto known = find_pod(uid);
  if (!known) return nullptr;
  PlacedPod before = take_out(*known);
  drop_if_unused(nodes_[before.node]);
  if (!listened_to_) return nullptr;
  return tell({.subject = Subject::AssignedPod,
               .changes = Change::Delete,
               .label = "AssignedPodDelete",
               .pod_before = std::make_shared<const PlacedPod>(std::move(before))});
}

PodIndex Cluster::assume(const api::Pod& object, const PodFormPtr& form, NodeIndex node) {
  RESCHEDULER_CHECK(!find_pod(object.metadata().uid()), "pod {}/{} is assumed twice", object.metadata().namespace_(),
                    object.metadata().name());
  PlacedPod pod = imagine(object, form, node);
  pod.assumed = true;
  return put(std::move(pod));
}

HappeningPtr Cluster::forget(std::string_view uid) {
  const auto index = find_pod(uid);
  if (!index || !pods_[*index].assumed) return nullptr;
  return remove_pod(uid);
}

std::optional<PodIndex> Cluster::find_pod(std::string_view uid) const {
  const auto known = pods_by_uid_.find(uid);
  if (known == pods_by_uid_.end()) return std::nullopt;
  return *known;
}

// --- Trying out ---

void Cluster::lift(PodIndex index) {
  PlacedPod& pod = pods_[index];
  RESCHEDULER_CHECK(pod.node != kNoNode, "pod {} is lifted twice", pod.name);
  counts_.remove(pod);
  volumes_.pod_removed(pod);
  NodeState& node = nodes_[pod.node];
  node.let_go(index, *pod.form);
  renew(node);
  pod.node = kNoNode;
}

void Cluster::put_down(PodIndex index, NodeIndex to) {
  PlacedPod& pod = pods_[index];
  RESCHEDULER_CHECK(pod.node == kNoNode, "pod {} is put down twice", pod.name);
  pod.node = to;
  NodeState& node = nodes_[to];
  node.take_in(index, *pod.form);
  renew(node);
  counts_.add(pod);
  volumes_.pod_added(pod);
}

// --- Loads ---

void Cluster::set_load(NodeIndex index, const NodeLoad& load) {
  nodes_[index].load = load;
  renew(nodes_[index]);
}

void Cluster::set_load_picture(LoadPicture picture) {
  load_picture_ = std::move(picture);
  for (const NodeIndex index : existing_) renew(nodes_[index]);
}

// --- Namespaces ---

void Cluster::upsert_namespace(const api::Namespace& object) {
  const Symbol name = words_.symbols.of(object.metadata().name());
  if (namespaces_.upsert(name, words_.labels.of(object.metadata().labels()))) counts_.recount(pods_);
}

void Cluster::remove_namespace(std::string_view name) {
  if (namespaces_.remove(words_.symbols.of(name))) counts_.recount(pods_);
}

}  // namespace rescheduler::cluster
