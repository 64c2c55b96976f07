// Deployments and other workloads as wire objects.
#pragma once

#include <cstdint>
#include <optional>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::cluster {

// The number of pods that the workload wants: spec.replicas, or spec.parallelism of a Job; 1 if the field is unset.
// Nothing: an object without such a field, for example a DaemonSet.
std::optional<std::int32_t> wanted_replicas(const google::protobuf::Message& workload);

}  // namespace rescheduler::cluster
