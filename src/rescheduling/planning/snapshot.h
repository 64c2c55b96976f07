// The cluster as rescheduling sees it: the model of the scheduler, and the facts that this model lacks - owner, state,
// protection and usage of each pod. The live controller, a dump and the tests feed it with the same objects. Not
// thread-safe: one thread uses it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "cluster/cluster.h"
#include "kube/codec/resource.h"
#include "migration/migrator.h"
#include "rescheduling/planning/pod_facts.h"
#include "rescheduling/planning/workloads.h"
#include "usage/workload_usage.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::rescheduling {

struct NodeStatus {
  bool ready = false;
  bool maintenance = false;  // from the label, or from the node conditions of Kubernetes 1.37
  std::string zone{};
  std::string shutdown{};  // the lifecycle condition that is true, if any: "DrainInProgress", ...
};

class Snapshot {
 public:
  Snapshot();

  // --- Changes of objects. Kinds that kinds() does not list are ignored. ---
  void upsert(const std::shared_ptr<const google::protobuf::Message>& object) { upsert(*object); }
  void remove(const std::shared_ptr<const google::protobuf::Message>& object) { remove(*object); }
  void upsert(const google::protobuf::Message& object);
  void remove(const google::protobuf::Message& object);
  static const std::vector<const kube::ResourceType*>& kinds();

  // Usage of a pod in cores and bytes; NaN if unknown. For nodes use cluster().set_load and set_load_summary.
  void set_pod_load(std::string_view uid, const cluster::Loads& used, WallTime at = WallTime{});
  // Typical usage of the pods of each workload, for pods without a sample.
  void set_workload_usages(usage::WorkloadUsagesPtr workload_usages) { workload_usages_ = std::move(workload_usages); }

  // --- Queries ---
  cluster::Cluster& cluster() { return cluster_; }
  const cluster::Cluster& cluster() const { return cluster_; }
  const PodFacts& facts(cluster::PodIndex pod) const { return facts_[pod]; }
  const PodFacts* find_facts(std::string_view uid) const;                      // of an assigned pod
  const usage::WorkloadUsage* workload_usage_of(const PodFacts& facts) const;  // null: unknown
  const NodeStatus& node_status(cluster::NodeIndex node) const;
  const Workloads& workloads() const { return workloads_; }
  cluster::OptOut opt_out_of_namespace(cluster::Symbol ns) const;

  // Shared by a pod and its replacements. A bare pod is its own lineage.
  migration::Lineage lineage_of(cluster::PodIndex pod) const;
  const std::string& namespace_of(cluster::PodIndex pod) const { return cluster_.text(cluster_.pod(pod).ns); }

  std::size_t waiting_pods() const { return waiting_.size(); }  // without a node and without a scheduling gate
  std::set<std::string> nodes_under_maintenance() const;

  // Unknown values of labels and annotations, each reported once. The caller logs them.
  std::vector<std::string> take_warnings();

 private:
  void upsert_pod(const api::Pod& pod);
  void remove_pod(std::string_view uid);
  void upsert_node(const api::Node& node);
  void upsert_namespace(const api::Namespace& ns);
  void warn(std::string sentence);
  OwnerPtr shared(OwnerRef owner);

  cluster::Cluster cluster_;
  std::vector<PodFacts> facts_;  // by PodIndex
  Workloads workloads_;
  boost::unordered_flat_set<std::string> waiting_;  // uids
  boost::unordered_flat_map<cluster::Symbol, cluster::OptOut> namespaces_;
  std::vector<NodeStatus> nodes_;                                                 // by NodeIndex
  boost::unordered_flat_map<std::string, std::weak_ptr<const OwnerRef>> owners_;  // by uid
  std::size_t sweep_owners_at_ = 1024;
  usage::WorkloadUsagesPtr workload_usages_;
  std::set<std::string> warned_;
  std::vector<std::string> warnings_;
};

}  // namespace rescheduler::rescheduling
