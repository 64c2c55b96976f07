// Deployments, ReplicaSets and their like: how many pods there shall be, and who owns whom.
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
#include "migration/migrator.h"
#include "rescheduling/planning/pod_facts.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::rescheduling {

struct Workload {
  std::string kind{};
  std::string ns{};
  std::string name{};
  std::string uid{};
  std::optional<std::int32_t> replicas{};  // that there shall be; nothing: it does not say, or has none to say
  cluster::OptOut opt_out = cluster::OptOut::No;
  OwnerRef owner{};  // its own controller; an empty kind: none
};

class Workloads {
 public:
  // Deployment, ReplicaSet, StatefulSet, DaemonSet, Job, CronJob, ReplicationController, HorizontalPodAutoscaler;
  // false: another kind.
  bool upsert(const google::protobuf::Message& object);
  bool remove(const google::protobuf::Message& object);

  const Workload* find(std::string_view uid) const;
  // The controlling owner at the top that is known. Never goes round in circles.
  migration::Lineage lineage_of(const OwnerRef& owner) const;
  // Does the owner, or one above it, ask not to be moved?
  cluster::OptOut opt_out_of(const OwnerRef& owner) const;
  // How many the owner, or the topmost one that says so, wants; nothing: nobody says.
  std::optional<std::int32_t> replicas_of(const OwnerRef& owner) const;
  // Does a HorizontalPodAutoscaler set the scale of this lineage?
  bool is_autoscaled(const migration::Lineage& lineage) const;

 private:
  using Target = std::tuple<std::string, std::string, std::string>;  // namespace, kind, name

  boost::unordered_flat_map<std::string, Workload> by_uid_;
  std::map<Target, Target> autoscalers_;  // namespace, "HorizontalPodAutoscaler", name -> what it scales
};

}  // namespace rescheduler::rescheduling
