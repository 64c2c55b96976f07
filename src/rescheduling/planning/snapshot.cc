#include "rescheduling/planning/snapshot.h"

#include <algorithm>
#include <array>
#include <functional>

#include <fmt/format.h>

#include "cluster/feed.h"
#include "cluster/objects/nodes.h"
#include "cluster/objects/pods.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core.pb.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/proto/core_storage.pb.h"
#include "kube/proto/policy.pb.h"
#include "kube/proto/storage.pb.h"

namespace rescheduler::rescheduling {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;

// Names of Kubernetes 1.37 (NodeLifecycleConditions): the node is being drained, or will be soon.
constexpr std::array<std::string_view, 3> kLifecycle{"MaintenanceInProgress", "DrainInProgress",
                                                     "GracefulNodeShutdownInProgress"};

bool is_true(const api::NodeCondition& condition) { return condition.status() == "True"; }

}  // namespace

Snapshot::Snapshot() { cluster_.listen(false); }

const std::vector<const kube::ResourceType*>& Snapshot::kinds() {
  static const std::vector<const kube::ResourceType*> all = [] {
    std::vector<const kube::ResourceType*> kinds = cluster::model_kinds();
    kinds.push_back(&kube::resource_of<api::Deployment>());
    kinds.push_back(&kube::resource_of<api::DaemonSet>());
    kinds.push_back(&kube::resource_of<api::Job>());
    kinds.push_back(&kube::resource_of<api::CronJob>());
    kinds.push_back(&kube::resource_of<api::HorizontalPodAutoscaler>());
    return kinds;
  }();
  return all;
}

void Snapshot::upsert(const Message& object) {
  const Descriptor* what = object.GetDescriptor();
  if (what == api::Pod::descriptor()) return upsert_pod(static_cast<const api::Pod&>(object));
  workloads_.upsert(object);
  if (what == api::Node::descriptor()) return upsert_node(static_cast<const api::Node&>(object));
  if (what == api::Namespace::descriptor()) upsert_namespace(static_cast<const api::Namespace&>(object));
  cluster::apply(object, cluster::FeedAction::Upsert, cluster_);
}

void Snapshot::remove(const Message& object) {
  const Descriptor* what = object.GetDescriptor();
  if (what == api::Pod::descriptor()) return remove_pod(cluster::uid_of(static_cast<const api::Pod&>(object)));
  workloads_.remove(object);
  if (what == api::Namespace::descriptor()) {
    namespaces_.erase(cluster_.interner().symbols.intern(static_cast<const api::Namespace&>(object).metadata().name()));
  }
  cluster::apply(object, cluster::FeedAction::Remove, cluster_);
}

void Snapshot::upsert_pod(const api::Pod& pod) {
  const std::string uid = cluster::uid_of(pod);
  if (cluster::is_finished(pod)) return remove_pod(uid);
  if (const auto said = cluster::opt_out_value(pod.metadata()); said.meaning == cluster::OptOut::Unclear) {
    warn(fmt::format("pod {}/{} has {} with the unknown value \"{}\"; the pod is not moved",
                     pod.metadata().namespace_(), pod.metadata().name(), said.key, said.value));
  }
  PodFacts facts = facts_of(pod, cluster_.interner().symbols);
  if (pod.spec().node_name().empty()) {
    if (facts.gated || facts.terminating) {
      waiting_.erase(uid);
    } else {
      waiting_.insert(uid);
    }
    return;
  }
  waiting_.erase(uid);
  if (OwnerRef owner = owner_of(pod.metadata()); !owner.kind.empty()) {
    owner.workload = usage::workload_of(pod);
    facts.owner = shared(std::move(owner));
  }
  const auto before = cluster_.find_pod(uid);
  if (before) {
    facts.used = facts_[*before].used;
    facts.measured = facts_[*before].measured;
  }
  cluster::apply(pod, cluster::FeedAction::Upsert, cluster_);
  const cluster::PodIndex index = *cluster_.find_pod(uid);
  if (before && *before != index) facts_[*before] = PodFacts{};
  if (index >= facts_.size()) facts_.resize(cluster_.pods().size());
  facts_[index] = std::move(facts);
}

void Snapshot::remove_pod(std::string_view uid) {
  waiting_.erase(std::string(uid));
  const auto index = cluster_.find_pod(uid);
  if (!index) return;
  facts_[*index] = PodFacts{};
  cluster_.remove_pod(uid);
}

void Snapshot::upsert_node(const api::Node& node) {
  cluster_.upsert_node(node);
  const cluster::NodeIndex index = *cluster_.find_node(node.metadata().name());
  if (index >= nodes_.size()) nodes_.resize(cluster_.nodes().size());
  NodeStatus& facts = nodes_[index] = NodeStatus{};
  facts.zone = cluster::zone_of(node);
  facts.maintenance = cluster::asks_for_maintenance(node.metadata());
  if (const auto word = cluster::unclear_maintenance(node.metadata())) {
    warn(fmt::format("node {} has {}, which is not a known value; only \"true\" starts maintenance",
                     node.metadata().name(), *word));
  }
  // A node without a Ready condition counts as ready: it was written by hand.
  facts.ready = !cluster::says_not_ready(node);
  for (const api::NodeCondition& condition : node.status().conditions()) {
    if (is_true(condition) && std::ranges::find(kLifecycle, condition.type()) != kLifecycle.end()) {
      facts.shutdown = condition.type();
    }
  }
}

void Snapshot::upsert_namespace(const api::Namespace& ns) {
  const auto said = cluster::opt_out_value(ns.metadata());
  namespaces_.insert_or_assign(cluster_.interner().symbols.intern(ns.metadata().name()), said.meaning);
  if (said.meaning != cluster::OptOut::Unclear) return;
  warn(fmt::format("namespace {} has {} with the unknown value \"{}\"; its pods are not moved", ns.metadata().name(),
                   said.key, said.value));
}

void Snapshot::set_pod_load(std::string_view uid, const cluster::Loads& used, WallTime at) {
  const auto index = cluster_.find_pod(uid);
  if (!index) return;
  facts_[*index].used = used;
  facts_[*index].measured = at;
}

const usage::WorkloadUsage* Snapshot::workload_usage_of(const PodFacts& facts) const {
  if (!facts.owner || workload_usages_ == nullptr) return nullptr;
  const auto found = workload_usages_->find(facts.owner->workload);
  return found == workload_usages_->end() ? nullptr : &found->second;
}

const PodFacts* Snapshot::find_facts(std::string_view uid) const {
  const auto index = cluster_.find_pod(uid);
  return index ? &facts_[*index] : nullptr;
}

const NodeStatus& Snapshot::node_status(cluster::NodeIndex node) const {
  static const NodeStatus unknown;
  return node < nodes_.size() ? nodes_[node] : unknown;
}

cluster::OptOut Snapshot::opt_out_of_namespace(cluster::Symbol ns) const {
  const auto found = namespaces_.find(ns);
  return found == namespaces_.end() ? cluster::OptOut::No : found->second;
}

migration::Lineage Snapshot::lineage_of(cluster::PodIndex pod) const {
  if (facts_[pod].owner) return workloads_.lineage_of(*facts_[pod].owner);
  const cluster::AssignedPod& placed = cluster_.pod(pod);
  return {"Pod", cluster_.text(placed.ns), placed.name, placed.uid};
}

std::set<std::string> Snapshot::nodes_under_maintenance() const {
  std::set<std::string> names;
  for (const cluster::NodeIndex index : cluster_.existing_nodes()) {
    if (node_status(index).maintenance) names.insert(cluster_.node(index).node->name);
  }
  return names;
}

std::vector<std::string> Snapshot::take_warnings() { return std::exchange(warnings_, {}); }

void Snapshot::warn(std::string sentence) {
  // Enough for all usual mistakes. The limit keeps a stream of new warnings from growing the set without end.
  constexpr std::size_t kMost = 10'000;
  if (warned_.size() >= kMost) warned_.clear();
  if (warned_.insert(sentence).second) warnings_.push_back(std::move(sentence));
}

OwnerPtr Snapshot::shared(OwnerRef owner) {
  auto& known = owners_[key_of(owner)];
  if (OwnerPtr one = known.lock(); one && *one == owner) return one;
  auto made = std::make_shared<const OwnerRef>(std::move(owner));
  known = made;
  if (owners_.size() >= sweep_owners_at_) {
    boost::unordered::erase_if(owners_, [](const auto& entry) { return entry.second.expired(); });
    sweep_owners_at_ = std::max<std::size_t>(1024, 2 * owners_.size());
  }
  return made;
}

}  // namespace rescheduler::rescheduling
