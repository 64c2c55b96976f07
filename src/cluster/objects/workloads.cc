#include "cluster/objects/workloads.h"

#include "kube/proto/apps.pb.h"
#include "kube/proto/batch.pb.h"
#include "kube/proto/core.pb.h"

namespace rescheduler::cluster {
namespace {

template <class T>
bool reads(const google::protobuf::Message& workload, std::optional<std::int32_t>& replicas) {
  if (workload.GetDescriptor() != T::descriptor()) return false;
  const auto& spec = static_cast<const T&>(workload).spec();
  replicas = spec.has_replicas() ? spec.replicas() : 1;
  return true;
}

}  // namespace

std::optional<std::int32_t> wanted_replicas(const google::protobuf::Message& workload) {
  std::optional<std::int32_t> replicas;
  if (reads<api::Deployment>(workload, replicas) || reads<api::ReplicaSet>(workload, replicas)
      || reads<api::StatefulSet>(workload, replicas) || reads<api::ReplicationController>(workload, replicas)) {
    return replicas;
  }
  if (workload.GetDescriptor() != api::Job::descriptor()) return std::nullopt;
  const auto& spec = static_cast<const api::Job&>(workload).spec();
  return spec.has_parallelism() ? spec.parallelism() : 1;
}

}  // namespace rescheduler::cluster
