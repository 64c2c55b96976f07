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
#include "migration/mover.h"
#include "rescheduler/planning/pod_facts.h"
#include "rescheduler/planning/workloads.h"
#include "usage/habits.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::rescheduling {

struct NodeFacts {
  bool ready = false;
  bool maintenance = false;  // by label, or by the node conditions that Kubernetes 1.37 has for it
  std::string zone{};
  std::string shutdown{};  // the lifecycle condition that is true, if any: "DrainInProgress", ...
};

class World {
 public:
  World();

  // --- What happens. Objects of kinds(); others are ignored. ---
  void seen(const std::shared_ptr<const google::protobuf::Message>& object) { seen(*object); }
  void gone(const std::shared_ptr<const google::protobuf::Message>& object) { gone(*object); }
  void seen(const google::protobuf::Message& object);
  void gone(const google::protobuf::Message& object);
  static const std::vector<const kube::ResourceType*>& kinds();

  // Of nodes: cluster().set_load and set_load_picture. Of a pod, in cores and bytes; NaN where it is not known.
  void set_pod_load(std::string_view uid, const cluster::Loads& used, WallTime at = WallTime{});
  // What pods of a workload are used to using, for those that nobody has measured yet.
  void set_habits(usage::HabitsPtr habits) { habits_ = std::move(habits); }

  // --- What is. ---
  cluster::Cluster& cluster() { return cluster_; }
  const cluster::Cluster& cluster() const { return cluster_; }
  const PodFacts& facts(cluster::PodIndex pod) const { return facts_[pod]; }
  const PodFacts* find_facts(std::string_view uid) const;     // of a pod that has a node
  const usage::Habit* habit_of(const PodFacts& facts) const;  // null: not known
  const NodeFacts& node_facts(cluster::NodeIndex node) const;
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
  void pod_seen(const api::Pod& pod);
  void pod_gone(std::string_view uid);
  void node_seen(const api::Node& node);
  void namespace_seen(const api::Namespace& ns);
  void warn(std::string sentence);
  OwnerPtr shared(OwnerRef owner);

  cluster::Cluster cluster_;
  std::vector<PodFacts> facts_;  // by PodIndex
  Workloads workloads_;
  boost::unordered_flat_set<std::string> waiting_;  // uids
  boost::unordered_flat_map<cluster::Symbol, cluster::OptOut> namespaces_;
  std::vector<NodeFacts> nodes_;                                                  // by NodeIndex
  boost::unordered_flat_map<std::string, std::weak_ptr<const OwnerRef>> owners_;  // by uid
  std::size_t sweep_owners_at_ = 1024;
  usage::HabitsPtr habits_;
  std::set<std::string> warned_;
  std::vector<std::string> warnings_;
};

}  // namespace rescheduler::rescheduling
