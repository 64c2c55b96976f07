// The API objects of a scenario.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "sim/scenario/scenario.h"

namespace google::protobuf {
class Message;
}  // namespace google::protobuf
namespace rescheduler::api {
class Node;
class PodTemplateSpec;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Label of every node of a scenario: the name of its node group.
inline constexpr std::string_view kNodeGroupLabel = "sim.rescheduler.io/group";

using ObjectSink = std::function<void(std::unique_ptr<google::protobuf::Message>)>;

// In an order that an API server accepts: namespaces, priority classes, nodes. One at a time, because thousands of
// decoded objects need much memory. Raw manifests are not included.
void for_each_cluster_object(const Scenario& scenario, const ObjectSink& sink);
// The workload and its PodDisruptionBudget. The workload selects its pods by the label app: NAME.
void for_each_workload_object(const Workload& workload, const ObjectSink& sink);

// A node as a kubelet registers it, without conditions.
api::Node node_object(const NodeGroup& group, int index);
api::PodTemplateSpec pod_template(const Workload& workload);

}  // namespace rescheduler::sim
