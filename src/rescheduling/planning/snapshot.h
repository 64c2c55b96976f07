// The cluster as rescheduling sees it: the model that placing uses, and beside it what that leaves out - who owns a
// pod, how it is doing, what protects it, what it uses. Fed with the same objects by a live controller, a dump and the
// tests. Belongs to one thread.
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
  bool maintenance = false;  // by label, or by the node conditions that Kubernetes 1.37 has for it
  std::string zone{};
  std::string shutdown{};  // the lifecycle condition that is true, if any: "DrainInProgress", ...
};

class Snapshot {
 public:
  Snapshot();

  // --- What happens. Objects of kinds(); others are ignored. ---
  void upsert(const std::shared_ptr<const google::protobuf::Message>& object) { upsert(*object); }
  void remove(const std::shared_ptr<const google::protobuf::Message>& object) { remove(*object); }
  void upsert(const google::protobuf::Message& object);
  void remove(const google::protobuf::Message& object);
  static const std::vector<const kube::ResourceType*>& kinds();

  // Of nodes: cluster().set_load and set_load_summary. Of a pod, in cores and bytes; NaN where it is not known.
  void set_pod_load(std::string_view uid, const cluster::Loads& used, WallTime at = WallTime{});
  // What pods of a workload are used to using, for those that nobody has measured yet.
  void set_workload_usages(usage::WorkloadUsagesPtr workload_usages) { workload_usages_ = std::move(workload_usages); }

  // --- What is. ---
  cluster::Cluster& cluster() { return cluster_; }
  const cluster::Cluster& cluster() const { return cluster_; }
  const PodFacts& facts(cluster::PodIndex pod) const { return facts_[pod]; }
  const PodFacts* find_facts(std::string_view uid) const;                      // of a pod that has a node
  const usage::WorkloadUsage* workload_usage_of(const PodFacts& facts) const;  // null: not known
  const NodeStatus& node_status(cluster::NodeIndex node) const;
  const Workloads& workloads() const { return workloads_; }
  cluster::OptOut opt_out_of_namespace(cluster::Symbol ns) const;

  // Across a pod's replacements. A pod of nobody is its own.
  migration::Lineage lineage_of(cluster::PodIndex pod) const;
  const std::string& namespace_of(cluster::PodIndex pod) const { return cluster_.text(cluster_.pod(pod).ns); }

  std::size_t waiting_pods() const { return waiting_.size(); }  // without a node, and not held back by a gate
  std::set<std::string> nodes_under_maintenance() const;

  // Words on objects that nobody has defined, each told once: to be logged.
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
