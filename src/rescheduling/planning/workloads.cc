#include "rescheduling/planning/workloads.h"

#include <algorithm>
#include <array>

#include "cluster/objects/workloads.h"
#include "kube/codec/metadata.h"
#include "kube/codec/resource.h"
#include "kube/proto/autoscaling.pb.h"

namespace rescheduler::rescheduling {
namespace {

using google::protobuf::Message;

// Levels of owners. Two are usual. The limit ends cyclic owner references.
constexpr int kMostLevels = 4;

constexpr std::array<std::string_view, 7> kKinds = {"Deployment", "ReplicaSet", "StatefulSet", "ReplicationController",
                                                    "DaemonSet",  "Job",        "CronJob"};

// Empty: not a workload.
std::string kind_of(const Message& object) {
  const kube::ResourceType* type = kube::find_resource(*object.GetDescriptor());
  const bool is_one = type != nullptr && std::ranges::find(kKinds, type->kind) != kKinds.end();
  return is_one ? std::string(type->kind) : std::string();
}

cluster::OptOut more_careful(cluster::OptOut a, cluster::OptOut b) {
  if (a == cluster::OptOut::Disabled || b == cluster::OptOut::No) return a;
  return b;
}

}  // namespace

bool Workloads::includes(const Message& object) {
  return object.GetDescriptor() == api::HorizontalPodAutoscaler::descriptor() || !kind_of(object).empty();
}

void Workloads::upsert(const Message& object) {
  if (object.GetDescriptor() == api::HorizontalPodAutoscaler::descriptor()) {
    const auto& scaler = static_cast<const api::HorizontalPodAutoscaler&>(object);
    const auto& target = scaler.spec().scale_target_ref();
    const std::string& ns = scaler.metadata().namespace_();
    autoscalers_[{ns, "HorizontalPodAutoscaler", scaler.metadata().name()}] = {ns, target.kind(), target.name()};
    return;
  }
  const std::string kind = kind_of(object);
  if (kind.empty()) return;
  const api::ObjectMeta& meta = kube::metadata_of(object);
  Workload known;
  known.kind = kind;
  known.ns = meta.namespace_();
  known.name = meta.name();
  known.uid = key_of(OwnerRef{{}, known.kind, known.ns, known.name, meta.uid()});
  known.replicas = cluster::wanted_replicas(object);
  known.opt_out = cluster::opt_out_of(meta);
  known.owner = owner_of(meta);
  std::string key = known.uid;
  by_uid_.insert_or_assign(std::move(key), std::move(known));
}

void Workloads::remove(const Message& object) {
  if (object.GetDescriptor() == api::HorizontalPodAutoscaler::descriptor()) {
    const auto& meta = static_cast<const api::HorizontalPodAutoscaler&>(object).metadata();
    autoscalers_.erase({meta.namespace_(), "HorizontalPodAutoscaler", meta.name()});
    return;
  }
  const std::string kind = kind_of(object);
  if (kind.empty()) return;
  const api::ObjectMeta& meta = kube::metadata_of(object);
  by_uid_.erase(key_of(OwnerRef{{}, kind, meta.namespace_(), meta.name(), meta.uid()}));
}

const Workload* Workloads::find(std::string_view uid) const {
  const auto found = by_uid_.find(std::string(uid));
  return found == by_uid_.end() ? nullptr : &found->second;
}

migration::Lineage Workloads::lineage_of(const OwnerRef& owner) const {
  OwnerRef top = owner;
  for (int level = 0; level < kMostLevels; ++level) {
    const Workload* known = find(key_of(top));
    if (known == nullptr || known->owner.kind.empty()) break;
    top = known->owner;
  }
  return {top.kind, top.ns, top.name, top.uid};
}

cluster::OptOut Workloads::opt_out_of(const OwnerRef& owner) const {
  cluster::OptOut out = cluster::OptOut::No;
  const Workload* known = find(key_of(owner));
  for (int level = 0; known != nullptr && level < kMostLevels; ++level) {
    out = more_careful(out, known->opt_out);
    known = known->owner.kind.empty() ? nullptr : find(key_of(known->owner));
  }
  return out;
}

std::optional<std::int32_t> Workloads::replicas_of(const OwnerRef& owner) const {
  std::optional<std::int32_t> replicas;
  const Workload* known = find(key_of(owner));
  for (int level = 0; known != nullptr && level < kMostLevels; ++level) {
    if (known->replicas) replicas = known->replicas;
    known = known->owner.kind.empty() ? nullptr : find(key_of(known->owner));
  }
  return replicas;
}

bool Workloads::is_autoscaled(const migration::Lineage& lineage) const {
  const Target wanted{lineage.ns, lineage.kind, lineage.name};
  for (const auto& [scaler, target] : autoscalers_) {
    if (target == wanted) return true;
  }
  return false;
}

}  // namespace rescheduler::rescheduling
