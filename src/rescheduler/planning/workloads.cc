#include "rescheduler/planning/workloads.h"

#include <functional>

#include "kube/proto/apps.pb.h"
#include "kube/proto/autoscaling.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core.pb.h"

namespace rescheduler::rescheduling {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::Message;

// Owners of owners of owners: two are usual, and a circle of references is no reason to hang.
constexpr int kMostLevels = 4;

struct Kind {
  std::string_view name;
  std::function<const api::ObjectMeta&(const Message&)> meta;
  std::function<std::optional<std::int32_t>(const Message&)> replicas;
};

// `spec.replicas` is one where it is left out.
template <class T>
Kind scaled(std::string_view name) {
  return {name,
          [](const Message& object) -> const api::ObjectMeta& { return static_cast<const T&>(object).metadata(); },
          [](const Message& object) -> std::optional<std::int32_t> {
            const auto& spec = static_cast<const T&>(object).spec();
            return spec.has_replicas() ? spec.replicas() : 1;
          }};
}

template <class T>
Kind unscaled(std::string_view name) {
  return {name,
          [](const Message& object) -> const api::ObjectMeta& { return static_cast<const T&>(object).metadata(); },
          [](const Message&) -> std::optional<std::int32_t> { return std::nullopt; }};
}

Kind job() {
  Kind kind = unscaled<api::Job>("Job");
  kind.replicas = [](const Message& object) -> std::optional<std::int32_t> {
    const auto& spec = static_cast<const api::Job&>(object).spec();
    return spec.has_parallelism() ? spec.parallelism() : 1;
  };
  return kind;
}

const Kind* kind_of(const Descriptor* message) {
  static const std::map<const Descriptor*, Kind> all = {
      {api::Deployment::descriptor(), scaled<api::Deployment>("Deployment")},
      {api::ReplicaSet::descriptor(), scaled<api::ReplicaSet>("ReplicaSet")},
      {api::StatefulSet::descriptor(), scaled<api::StatefulSet>("StatefulSet")},
      {api::ReplicationController::descriptor(), scaled<api::ReplicationController>("ReplicationController")},
      {api::DaemonSet::descriptor(), unscaled<api::DaemonSet>("DaemonSet")},
      {api::Job::descriptor(), job()},
      {api::CronJob::descriptor(), unscaled<api::CronJob>("CronJob")},
  };
  const auto found = all.find(message);
  return found == all.end() ? nullptr : &found->second;
}

cluster::OptOut more_careful(cluster::OptOut a, cluster::OptOut b) {
  if (a == cluster::OptOut::Disabled || b == cluster::OptOut::No) return a;
  return b;
}

}  // namespace

bool Workloads::seen(const Message& object) {
  if (object.GetDescriptor() == api::HorizontalPodAutoscaler::descriptor()) {
    const auto& scaler = static_cast<const api::HorizontalPodAutoscaler&>(object);
    const auto& target = scaler.spec().scale_target_ref();
    const std::string& ns = scaler.metadata().namespace_();
    autoscalers_[{ns, "HorizontalPodAutoscaler", scaler.metadata().name()}] = {ns, target.kind(), target.name()};
    return true;
  }
  const Kind* kind = kind_of(object.GetDescriptor());
  if (kind == nullptr) return false;
  const api::ObjectMeta& meta = kind->meta(object);
  Workload known;
  known.kind = kind->name;
  known.ns = meta.namespace_();
  known.name = meta.name();
  known.uid = key_of(OwnerRef{{}, known.kind, known.ns, known.name, meta.uid()});
  known.replicas = kind->replicas(object);
  known.opt_out = cluster::opt_out_of(meta);
  known.owner = owner_of(meta);
  std::string key = known.uid;
  by_uid_.insert_or_assign(std::move(key), std::move(known));
  return true;
}

bool Workloads::gone(const Message& object) {
  if (object.GetDescriptor() == api::HorizontalPodAutoscaler::descriptor()) {
    const auto& meta = static_cast<const api::HorizontalPodAutoscaler&>(object).metadata();
    autoscalers_.erase({meta.namespace_(), "HorizontalPodAutoscaler", meta.name()});
    return true;
  }
  const Kind* kind = kind_of(object.GetDescriptor());
  if (kind == nullptr) return false;
  const api::ObjectMeta& meta = kind->meta(object);
  by_uid_.erase(key_of(OwnerRef{{}, std::string(kind->name), meta.namespace_(), meta.name(), meta.uid()}));
  return true;
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
