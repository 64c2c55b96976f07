#include "rescheduling/recovery/pod_owners.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "cluster/objects/pods.h"
#include "cluster/objects/workloads.h"
#include "kube/codec/metadata.h"
#include "kube/codec/resource.h"
#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core_pod.pb.h"
#include "kube/value/integer.h"
#include "kube/value/time.h"

namespace rescheduler::rescheduling::recovery {
namespace {

constexpr std::array<OwnerKind, 6> kWorkloads = {OwnerKind::Deployment, OwnerKind::ReplicaSet, OwnerKind::StatefulSet,
                                                 OwnerKind::DaemonSet,  OwnerKind::Job,        OwnerKind::CronJob};

std::string key_of(OwnerKind kind, const std::string& ns, const std::string& name) {
  return fmt::format("{}/{}/{}", to_string(kind), ns, name);
}

std::optional<OwnerKind> kind_named(std::string_view kind) {
  for (const OwnerKind one : kWorkloads) {
    if (to_string(one) == kind) return one;
  }
  return std::nullopt;
}

std::optional<OwnerKind> kind_of(const google::protobuf::Message& workload) {
  const kube::ResourceType* type = kube::find_resource(*workload.GetDescriptor());
  return type == nullptr ? std::nullopt : kind_named(type->kind);
}

const std::string kRevisionLabel = "controller-revision-hash";  // set by StatefulSet and DaemonSet controllers

bool has_ledger(const Owner& owner) {
  for (const auto& [key, value] : write_ledger(owner.kind, {})) {
    if (owner.annotations.contains(key)) return true;
  }
  return false;
}

}  // namespace

std::string Owner::key() const { return key_of(kind, ns, name); }

const kube::ResourceType& resource_of(OwnerKind kind) {
  switch (kind) {
    case OwnerKind::Deployment: return kube::resource_of<api::Deployment>();
    case OwnerKind::ReplicaSet: return kube::resource_of<api::ReplicaSet>();
    case OwnerKind::StatefulSet: return kube::resource_of<api::StatefulSet>();
    case OwnerKind::DaemonSet: return kube::resource_of<api::DaemonSet>();
    case OwnerKind::Job: return kube::resource_of<api::Job>();
    case OwnerKind::CronJob: return kube::resource_of<api::CronJob>();
    case OwnerKind::Pod: break;
  }
  return kube::resource_of<api::Pod>();
}

std::vector<const kube::ResourceType*> owner_kinds() {
  std::vector<const kube::ResourceType*> all;
  for (const OwnerKind kind : kWorkloads) all.push_back(&resource_of(kind));
  return all;
}

Annotations annotations_of(const api::ObjectMeta& meta) {
  return {meta.annotations().begin(), meta.annotations().end()};
}

std::uint32_t replicas_of(const google::protobuf::Message& workload) {
  const auto kind = kind_of(workload);
  if (kind != OwnerKind::Deployment && kind != OwnerKind::ReplicaSet) return 1;  // other kinds need no number of slots
  return static_cast<std::uint32_t>(std::max(1, cluster::wanted_replicas(workload).value_or(1)));
}

PodOwners::RefPtr PodOwners::controller_of(const api::ObjectMeta& meta, bool* foreign) {
  const api::OwnerReference* owner = cluster::controller_of(meta);
  if (owner == nullptr) return nullptr;
  if (const auto kind = kind_named(owner->kind())) {
    return std::make_shared<const Ref>(
        Ref{{*kind, meta.namespace_(), owner->name()}, key_of(*kind, meta.namespace_(), owner->name())});
  }
  if (foreign != nullptr) *foreign = true;
  return nullptr;
}

void PodOwners::upsert(const google::protobuf::Message& workload) {
  const auto kind = kind_of(workload);
  if (!kind) return;
  const api::ObjectMeta& meta = kube::metadata_of(workload);
  Known known;
  known.owner = {*kind, meta.namespace_(), meta.name(), meta.uid(), replicas_of(workload), {}};
  for (const auto& [key, value] : meta.annotations()) {
    if (key == kRetries || key == kRetriesMisspelt || key.starts_with("kse.com/")
        || key.starts_with("rescheduler.io/")) {
      known.owner.annotations.emplace(key, value);
    }
  }
  known.controller = controller_of(meta, nullptr);
  const std::string key = known.owner.key();
  known.version = static_cast<std::uint64_t>(kube::parse_int64(meta.resource_version()).value_or(0));
  const auto before = workloads_.find(key);
  if (before != workloads_.end() && before->second.owner.uid == meta.uid() && before->second.version > known.version) {
    return;
  }
  if (known.controller) controlled_[known.controller->key].insert(key);
  workloads_.insert_or_assign(key, std::move(known));
}

void PodOwners::remove(const google::protobuf::Message& workload) {
  const auto kind = kind_of(workload);
  if (!kind) return;
  const api::ObjectMeta& meta = kube::metadata_of(workload);
  const auto found = workloads_.find(key_of(*kind, meta.namespace_(), meta.name()));
  if (found == workloads_.end()) return;
  if (found->second.controller) controlled_[found->second.controller->key].erase(found->first);
  workloads_.erase(found);
}

PodOwners::KnownPod PodOwners::known_pod(const api::Pod& pod) {
  const api::ObjectMeta& meta = pod.metadata();
  KnownPod known;
  known.controller = controller_of(meta, &known.foreign);
  if (!known.controller && !known.foreign) {
    known.self = std::make_shared<const Owner>(
        Owner{OwnerKind::Pod, meta.namespace_(), meta.name(), meta.uid(), 1, annotations_of(meta)});
  }
  const auto slot = meta.annotations().find(std::string(kSlot));
  if (slot != meta.annotations().end()) known.slot = slot->second;
  if (known.controller) {
    const OwnerKind kind = known.controller->workload.kind;
    if (kind == OwnerKind::StatefulSet) known.slot = meta.name();
    if (kind == OwnerKind::DaemonSet) known.slot = pod.spec().node_name();
    if (kind == OwnerKind::Job) known.slot = kOnlySlot;
  }
  known.live = !cluster::is_terminating(meta) && !cluster::is_finished(pod);
  return known;
}

// Pods of one node or revision share its name.
PodOwners::NamePtr PodOwners::share(const std::string& name) {
  if (name.empty()) return nullptr;
  NamePtr& shared = names_[name];
  if (!shared) shared = std::make_shared<const std::string>(name);
  return shared;
}

void PodOwners::unshare(NamePtr name) {
  constexpr long kThisAndTheTable = 2;
  if (name && name.use_count() == kThisAndTheTable) names_.erase(*name);
}

void PodOwners::upsert_pod(const api::Pod& pod) {
  KnownPod& known = pods_[pod.metadata().uid()];
  const RefPtr before = known.controller;
  known = known_pod(pod);
  known.node = share(pod.spec().node_name());
  known.created = kube::wall_time(pod.metadata().creation_timestamp());
  const auto revision = pod.metadata().labels().find(kRevisionLabel);
  if (revision != pod.metadata().labels().end()) known.revision = share(revision->second);
  if (before && (!known.controller || known.controller->key != before->key)) release_pod(*before, pod.metadata().uid());
  if (!known.controller) return;
  ControlledPods& siblings = controlled_pods_[known.controller->key];
  if (!siblings.controller) siblings.controller = known.controller;
  known.controller = siblings.controller;
  const std::string_view uid = pods_.find(pod.metadata().uid())->first;
  const auto place = std::ranges::lower_bound(siblings.uids, uid);
  if (place == siblings.uids.end() || *place != uid) siblings.uids.insert(place, uid);
}

void PodOwners::release_pod(const Ref& controller, const std::string& uid) {
  const auto pods = controlled_pods_.find(controller.key);
  if (pods == controlled_pods_.end()) return;
  std::erase(pods->second.uids, uid);
  if (pods->second.uids.empty()) controlled_pods_.erase(pods);
}

void PodOwners::remove_pod(const std::string& uid) {
  const auto found = pods_.find(uid);
  if (found == pods_.end()) return;
  if (const RefPtr controller = found->second.controller) release_pod(*controller, uid);
  NamePtr node = std::move(found->second.node);
  NamePtr revision = std::move(found->second.revision);
  pods_.erase(found);
  unshare(std::move(node));
  unshare(std::move(revision));
}

std::optional<Owner> PodOwners::top_of(const KnownPod& pod) const {
  if (pod.foreign) return std::nullopt;
  if (!pod.controller) return *pod.self;
  auto found = workloads_.find(pod.controller->key);
  if (found == workloads_.end()) return std::nullopt;
  if (found->second.controller) {
    found = workloads_.find(found->second.controller->key);
    if (found == workloads_.end()) return std::nullopt;
  }
  return found->second.owner;
}

std::optional<Owner> PodOwners::owner_of(const std::string& pod_uid) const {
  const auto found = pods_.find(pod_uid);
  return found == pods_.end() ? std::nullopt : top_of(found->second);
}

std::optional<Owner> PodOwners::owner_of(const api::Pod& pod) const { return top_of(known_pod(pod)); }

std::optional<WorkloadName> PodOwners::unseen_controller(const api::Pod& pod) const {
  const RefPtr controller = controller_of(pod.metadata(), nullptr);
  if (!controller) return std::nullopt;
  const auto found = workloads_.find(controller->key);
  if (found == workloads_.end()) return controller->workload;
  const RefPtr& above = found->second.controller;
  if (above && !workloads_.contains(above->key)) return above->workload;
  return std::nullopt;
}

bool PodOwners::is_live(const std::string& pod_uid) const {
  const auto found = pods_.find(pod_uid);
  return found != pods_.end() && found->second.live;
}

std::string PodOwners::slot_label_of(const std::string& pod_uid) const {
  const auto found = pods_.find(pod_uid);
  return found == pods_.end() ? std::string() : found->second.slot;
}

std::optional<Owner> PodOwners::find(OwnerKind kind, const std::string& ns, const std::string& name) const {
  const auto found = workloads_.find(key_of(kind, ns, name));
  return found == workloads_.end() ? std::nullopt : std::optional(found->second.owner);
}

void PodOwners::each_live(const std::string& owner_key,
                          const std::function<void(std::string_view uid, const KnownPod& pod)>& visit) const {
  const auto visit_of = [&](const std::string& key) {
    const auto pods = controlled_pods_.find(key);
    if (pods == controlled_pods_.end()) return;
    for (const std::string_view uid : pods->second.uids) {
      const auto pod = pods_.find(uid);
      if (pod->second.live) visit(pod->first, pod->second);
    }
  };
  visit_of(owner_key);
  if (const auto below = controlled_.find(owner_key); below != controlled_.end()) {
    for (const std::string& key : below->second) visit_of(key);
  }
}

std::vector<Sibling> PodOwners::live_pods(const Owner& owner) const {
  std::vector<Sibling> all;
  each_live(owner.key(),
            [&](std::string_view uid, const KnownPod& pod) { all.push_back({std::string(uid), pod.slot}); });
  return all;
}

PodOnNode PodOwners::placed(std::string_view uid, const KnownPod& pod) {
  PodOnNode made{.uid = std::string(uid), .created = pod.created};
  if (pod.node) made.node = *pod.node;
  if (pod.controller) made.release = fmt::format("{}@{}", pod.controller->key, pod.revision ? *pod.revision : "");
  return made;
}

std::vector<PodOnNode> PodOwners::placed_pods(const std::string& owner_key) const {
  std::vector<PodOnNode> all;
  each_live(owner_key, [&](std::string_view uid, const KnownPod& pod) {
    if (pod.node) all.push_back(placed(uid, pod));
  });
  return all;
}

std::vector<PodOnNode> PodOwners::pods_on(const std::string& node) const {
  std::vector<PodOnNode> all;
  const auto name = names_.find(node);
  if (name == names_.end()) return all;
  for (const auto& [uid, pod] : pods_) {
    if (pod.live && pod.node == name->second) all.push_back(placed(uid, pod));
  }
  return all;
}

std::string PodOwners::release_of(const std::string& pod_uid) const {
  const auto found = pods_.find(pod_uid);
  return found == pods_.end() ? std::string() : placed(pod_uid, found->second).release;
}

std::vector<Owner> PodOwners::with_ledger() const {
  std::vector<Owner> all;
  for (const auto& [key, known] : workloads_) {
    if (has_ledger(known.owner)) all.push_back(known.owner);
  }
  return all;
}

}  // namespace rescheduler::rescheduling::recovery
