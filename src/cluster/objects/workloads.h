// Deployments and their like as objects of the wire.
#pragma once

#include <cstdint>
#include <optional>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace rescheduler::cluster {

// How many pods it asks for: spec.replicas, of a Job spec.parallelism, and one where that is left out. Nothing: an
// object that does not say how many, such as a DaemonSet.
std::optional<std::int32_t> wanted_replicas(const google::protobuf::Message& workload);

}  // namespace rescheduler::cluster
