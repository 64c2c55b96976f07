#include "rescheduling/planning/snapshot.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cluster/feed.h"
#include "cluster/objects/annotations.h"
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

std::uint64_t hash_of(std::string_view uid) { return std::hash<std::string_view>{}(uid); }

}  // namespace

double PodUsage::of(std::size_t resource) const {
  if (resource == cluster::kCpuLoad) return cores;
  return resource == cluster::kMemoryLoad ? bytes : cluster::kUnknownLoad;
}

bool PodUsage::complete() const { return !std::isnan(cores) && !std::isnan(bytes); }

Snapshot::Snapshot() : cluster_(std::make_unique<cluster::Cluster>()) { cluster_->listen(false); }

Snapshot::Snapshot(const Snapshot& other)
    : cluster_(std::make_unique<cluster::Cluster>(*other.cluster_)),
      workloads_(other.workloads_),
      waiting_(other.waiting_),
      samples_(other.samples_),
      workload_usages_(other.workload_usages_),
      warned_(other.warned_) {}

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

void Snapshot::set_cluster(std::unique_ptr<cluster::Cluster> copy) {
  cluster_ = std::move(copy);
  cluster_->listen(false);
}

void Snapshot::upsert(const Message& object) {
  note_upsert(object);
  cluster::apply(object, cluster::FeedAction::Upsert, *cluster_);
}

void Snapshot::remove(const Message& object) {
  note_remove(object);
  cluster::apply(object, cluster::FeedAction::Remove, *cluster_);
}

void Snapshot::note_upsert(const Message& object) {
  const Descriptor* what = object.GetDescriptor();
  if (what == api::Pod::descriptor()) return note_pod(static_cast<const api::Pod&>(object));
  if (Workloads::includes(object)) workloads_.write().upsert(object);
  if (what == api::Node::descriptor()) {
    const auto& meta = static_cast<const api::Node&>(object).metadata();
    if (const auto word = cluster::unclear_maintenance(meta)) {
      warn(fmt::format("node {} has {}, which is not a known value; only \"true\" starts maintenance", meta.name(),
                       *word));
    }
    if (const std::string unknown = cluster::drain_allowance_of(meta).unknown; !unknown.empty()) {
      warn(fmt::format("node {} has the annotation {} with \"{}\", which is not a class of pods; use {}", meta.name(),
                       cluster::kDrainAllowsKey, unknown, fmt::join(cluster::kDrainClassNames, ", ")));
    }
  }
  if (what == api::Namespace::descriptor()) {
    const auto& meta = static_cast<const api::Namespace&>(object).metadata();
    if (const auto opt_out = cluster::opt_out_value(meta); opt_out.meaning == cluster::OptOut::Unclear) {
      warn(fmt::format("namespace {} has {} with the unknown value \"{}\"; its pods are not moved", meta.name(),
                       opt_out.key, opt_out.value));
    }
  }
}

void Snapshot::note_remove(const Message& object) {
  if (object.GetDescriptor() == api::Pod::descriptor()) {
    const std::string uid = cluster::uid_of(static_cast<const api::Pod&>(object));
    if (waiting_->contains(uid)) waiting_.write().erase(uid);
    return;
  }
  if (Workloads::includes(object)) workloads_.write().remove(object);
}

void Snapshot::note_pod(const api::Pod& pod) {
  const auto& meta = pod.metadata();
  const bool over = cluster::is_finished(pod);
  if (const auto opt_out = cluster::opt_out_value(meta); !over && opt_out.meaning == cluster::OptOut::Unclear) {
    warn(fmt::format("pod {}/{} has {} with the unknown value \"{}\"; the pod is not moved", meta.namespace_(),
                     meta.name(), opt_out.key, opt_out.value));
  }
  const bool waits = !over && pod.spec().node_name().empty() && pod.spec().scheduling_gates().empty()
                     && !cluster::is_terminating(meta);
  const std::string uid = cluster::uid_of(pod);
  if (waits == waiting_->contains(uid)) return;
  if (waits) {
    waiting_.write().insert(uid);
  } else {
    waiting_.write().erase(uid);
  }
}

void Snapshot::set_pod_usage(cluster::PodIndex pod, const PodUsage& usage) {
  auto& samples = samples_.write();
  if (pod >= samples.size()) samples.resize(cluster_->pods().size());
  samples[pod] = {hash_of(cluster_->pod(pod).uid), usage};
}

void Snapshot::set_pod_usage(std::string_view uid, const PodUsage& usage) {
  if (const auto index = cluster_->find_pod(uid)) set_pod_usage(*index, usage);
}

PodUsage Snapshot::usage_of(cluster::PodIndex pod) const {
  if (pod >= samples_->size()) return {};
  const Sample& sample = (*samples_)[pod];
  return sample.pod == hash_of(cluster_->pod(pod).uid) ? sample.usage : PodUsage{};
}

const usage::WorkloadUsage* Snapshot::workload_usage_of(const PodFacts& facts) const {
  if (!facts.owner || workload_usages_ == nullptr) return nullptr;
  const auto found = workload_usages_->find(facts.owner->workload);
  return found == workload_usages_->end() ? nullptr : &found->second;
}

const NodeStatus& Snapshot::node_status(cluster::NodeIndex node) const {
  static const NodeStatus unknown;
  return node < cluster_->nodes().size() && cluster_->node(node).exists() ? cluster_->node(node).node->status : unknown;
}

migration::Lineage Snapshot::lineage_of(cluster::PodIndex pod) const {
  if (facts(pod).owner) return workloads_->lineage_of(*facts(pod).owner);
  const cluster::AssignedPod& placed = cluster_->pod(pod);
  return {"Pod", cluster_->text(placed.ns), placed.name, placed.uid};
}

std::set<std::string> Snapshot::nodes_under_maintenance() const {
  std::set<std::string> names;
  for (const cluster::NodeIndex index : cluster_->existing_nodes()) {
    if (node_status(index).maintenance) names.insert(cluster_->node(index).node->name);
  }
  return names;
}

std::vector<std::string> Snapshot::take_warnings() { return std::exchange(warnings_, {}); }

void Snapshot::warn(std::string sentence) {
  // Enough for all usual mistakes. The limit keeps a stream of new warnings from growing the set without end.
  constexpr std::size_t kMost = 10'000;
  if (warned_->contains(sentence)) return;
  auto& warned = warned_.write();
  if (warned.size() >= kMost) warned.clear();
  warned.insert(sentence);
  warnings_.push_back(std::move(sentence));
}

}  // namespace rescheduler::rescheduling
