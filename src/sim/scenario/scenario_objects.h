// The API objects a scenario stands for.
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

// On every node of a scenario: the name of its group.
inline constexpr std::string_view kNodeGroupLabel = "sim.rescheduler.io/group";

using ObjectSink = std::function<void(std::unique_ptr<google::protobuf::Message>)>;

// In an order in which an API server takes them: namespaces, priority classes, nodes. One at a time, because
// thousands of decoded objects at once are a lot of memory. Raw manifests are not among them.
void for_each_cluster_object(const Scenario& scenario, const ObjectSink& sink);
// The workload itself and its budget. Its pods carry the label app: NAME, by which it selects them.
void for_each_workload_object(const Workload& workload, const ObjectSink& sink);

// A node as a kubelet would register it: no conditions yet.
api::Node node_object(const NodeGroup& group, int index);
api::PodTemplateSpec pod_template(const Workload& workload);

}  // namespace rescheduler::sim
