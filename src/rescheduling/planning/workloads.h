// Deployments, ReplicaSets and other workloads: the desired number of replicas, and their owners.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/objects/annotations.h"
#include "cluster/pod_facts.h"
#include "migration/migrator.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::rescheduling {

using cluster::key_of;
using cluster::owner_of;
using cluster::OwnerPtr;
using cluster::OwnerRef;

struct Workload {
  std::string kind{};
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::optional<std::int32_t> replicas{};  // desired replicas; empty: the field is not set, or the kind has none
  cluster::OptOut opt_out = cluster::OptOut::No;
  OwnerRef owner{};  // the controller of the workload; an empty kind: none
};

class Workloads {
 public:
  // Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, ReplicationController, HorizontalPodAutoscaler.
  static bool includes(const google::protobuf::Message& object);
  // Objects of other kinds are ignored.
  void upsert(const google::protobuf::Message& object);
  void remove(const google::protobuf::Message& object);

  const Workload* find(std::string_view uid) const;
  // The topmost known controller. Cyclic owner references end the search.
  migration::Lineage lineage_of(const OwnerRef& owner) const;
  // Whether the owner, or one of its owners, has opted out.
  cluster::OptOut opt_out_of(const OwnerRef& owner) const;
  // Replicas that the topmost owner with a known number wants; empty: unknown.
  std::optional<std::int32_t> replicas_of(const OwnerRef& owner) const;
  // Whether a HorizontalPodAutoscaler scales this lineage.
  bool is_autoscaled(const migration::Lineage& lineage) const;

 private:
  using Target = std::tuple<std::string, std::string, std::string>;  // namespace, kind, name

  boost::unordered_flat_map<std::string, Workload> by_uid_;
  std::map<Target, Target> autoscalers_;  // namespace, "HorizontalPodAutoscaler", name -> scale target
};

}  // namespace rescheduler::rescheduling
