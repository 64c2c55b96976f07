// Properties of a Pod, read from the wire object.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rescheduler::api {
class ObjectMeta;
class OwnerReference;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

bool is_ready(const api::Pod& pod);                // its condition Ready is True
bool is_finished(const api::Pod& pod);             // Succeeded or Failed: its containers no longer run
bool is_terminating(const api::ObjectMeta& meta);  // it has a deletionTimestamp
// The API object of a static pod. The kubelet runs the pod from its own manifest, whatever happens to this object.
bool is_mirror(const api::Pod& pod);

// Pods with a lower cost are deleted first when their workload is scaled down. nullopt: not a number that the API
// server accepts ("+1" and "007" are not).
inline constexpr std::string_view kDeletionCostKey = "controller.kubernetes.io/pod-deletion-cost";
std::optional<std::int32_t> parse_deletion_cost(std::string_view text);
std::int32_t deletion_cost_of(const api::ObjectMeta& pod);  // 0 if the annotation is absent or invalid

// The owner reference with `controller: true`; null: a bare pod.
const api::OwnerReference* controller_of(const api::ObjectMeta& meta);

// The workload of a pod under the name that users know. A ReplicaSet controls the pods of a Deployment, and a Job those
// of a CronJob. Both are recognised by the names that their controllers generate. Views into the pod; empty: a bare
// pod.
struct WorkloadName {
  std::string_view kind{};
  std::string_view name{};
};
WorkloadName workload_of(const api::Pod& pod);
// The same as a key that survives rollouts and times without pods: "shop/Deployment/web". Empty: a bare pod.
std::string workload_key(const api::Pod& pod);

}  // namespace rescheduler::cluster
