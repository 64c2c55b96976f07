// The cluster as rescheduling sees it: a copy of the cluster model, the workloads of its pods, and the usage of each
// pod. A copy of a Snapshot is cheap, so a what-if changes a copy of its own. Not thread-safe: one thread uses it.
#pragma once

#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_set.hpp>

#include "base/copy_on_write.h"
#include "cluster/cluster.h"
#include "kube/codec/resource.h"
#include "migration/migrator.h"
#include "rescheduling/planning/workloads.h"
#include "usage/workload_usage.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::rescheduling {

using cluster::NodeStatus;
using cluster::PodFacts;
using cluster::PodPhase;
using cluster::PodQos;

// Measured usage of a pod; NaN: not measured.
struct PodUsage {
  double cores = cluster::kUnknownLoad;
  double bytes = cluster::kUnknownLoad;
  WallTime at{};

  double of(std::size_t resource) const;  // other resources are not measured for pods
  bool complete() const;
};

class Snapshot {
 public:
  Snapshot();
  Snapshot(const Snapshot& other);
  Snapshot& operator=(const Snapshot&) = delete;

  // --- Changes of objects. Kinds that kinds() does not list are ignored. ---
  void upsert(const std::shared_ptr<const google::protobuf::Message>& object) { upsert(*object); }
  void remove(const std::shared_ptr<const google::protobuf::Message>& object) { remove(*object); }
  void upsert(const google::protobuf::Message& object);
  void remove(const google::protobuf::Message& object);
  static const std::vector<const kube::ResourceType*>& kinds();

  // --- A live controller. The scheduler keeps the cluster model: set_cluster() takes a copy of it, and the snapshot
  // records only the facts that the model lacks. ---
  void set_cluster(std::unique_ptr<cluster::Cluster> copy);
  void note_upsert(const google::protobuf::Message& object);
  void note_remove(const google::protobuf::Message& object);

  // Usage of a pod. For nodes use cluster().set_load and set_load_summary.
  void set_pod_usage(cluster::PodIndex pod, const PodUsage& usage);
  void set_pod_usage(std::string_view uid, const PodUsage& usage);  // without effect for an unknown pod
  // Typical usage of the pods of each workload, for pods without a sample.
  void set_workload_usages(usage::WorkloadUsagesPtr workload_usages) { workload_usages_ = std::move(workload_usages); }

  // --- Queries ---
  cluster::Cluster& cluster() { return *cluster_; }
  const cluster::Cluster& cluster() const { return *cluster_; }
  const PodFacts& facts(cluster::PodIndex pod) const { return cluster_->facts(pod); }
  PodUsage usage_of(cluster::PodIndex pod) const;
  const usage::WorkloadUsage* workload_usage_of(const PodFacts& facts) const;  // null: unknown
  const NodeStatus& node_status(cluster::NodeIndex node) const;
  const Workloads& workloads() const { return *workloads_; }
  cluster::OptOut opt_out_of_namespace(cluster::Symbol ns) const { return cluster_->opt_out_of_namespace(ns); }

  // Shared by a pod and its replacements. A bare pod is its own lineage.
  migration::Lineage lineage_of(cluster::PodIndex pod) const;
  const std::string& namespace_of(cluster::PodIndex pod) const { return cluster_->text(cluster_->pod(pod).ns); }

  std::size_t waiting_pods() const { return waiting_->size(); }  // without a node and without a scheduling gate
  std::set<std::string> nodes_under_maintenance() const;

  // Unknown values of labels and annotations, each reported once. The caller logs them.
  std::vector<std::string> take_warnings();

 private:
  // The PodIndex of a removed pod is used again, so each sample names its pod.
  struct Sample {
    std::uint64_t pod = 0;  // hash of the uid
    PodUsage usage{};
  };

  void note_pod(const api::Pod& pod);
  void warn(std::string sentence);

  std::unique_ptr<cluster::Cluster> cluster_;
  Cow<Workloads> workloads_;
  Cow<boost::unordered_flat_set<std::string>> waiting_;  // uids
  Cow<std::vector<Sample>> samples_;                     // by PodIndex
  usage::WorkloadUsagesPtr workload_usages_;
  Cow<std::set<std::string>> warned_;
  std::vector<std::string> warnings_;
};

}  // namespace rescheduler::rescheduling
