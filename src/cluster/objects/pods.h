// What a Pod says of itself, read from the wire object.
#pragma once

#include <string_view>

namespace rescheduler::api {
class ObjectMeta;
class OwnerReference;
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::cluster {

bool is_ready(const api::Pod& pod);                // its condition Ready is True
bool is_finished(const api::Pod& pod);             // Succeeded or Failed: its containers run no more
bool is_terminating(const api::ObjectMeta& meta);  // somebody has deleted it, and it is not gone yet
// A static pod's image in the API: the kubelet runs what its own file says, whatever happens to this one.
bool is_mirror(const api::Pod& pod);

// Who keeps up the number of its kind; null: nobody.
const api::OwnerReference* controller_of(const api::ObjectMeta& meta);

// What people call the pod's workload. A Deployment's pods are controlled by a ReplicaSet and a CronJob's by a Job;
// both are known by how their controllers name what they make. Views into the pod; empty: nobody controls it.
struct WorkloadName {
  std::string_view kind{};
  std::string_view name{};
};
WorkloadName workload_of(const api::Pod& pod);

}  // namespace rescheduler::cluster
