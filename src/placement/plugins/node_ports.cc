// Only one pod can use a host port of a node.
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class NodePorts final : public PluginOf<NodePorts> {
 public:
  std::string_view name() const override { return "NodePorts"; }
  bool depends_on_node_only() const override { return true; }

  PreFilterResult pre_filter(const PodContext& context, CycleState& /*state*/) const override {
    return {{context.requirements().ports.empty() ? Code::Skip : Code::Success}};
  }

  Code filter(const PodContext& context,
              const CycleState& /*state*/,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    if (!cluster::any_collides(context.requirements().ports, node.ports)) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) didn't have free ports for the requested pod ports");
    return Code::Unschedulable;
  }

  std::vector<ClusterEventWithHint> events_to_register() const override {
    return {{cluster::EventResource::AssignedPod, cluster::ActionType::Delete,
             [](const PodContext& waiting, const cluster::ClusterEvent& what) {
               const bool freed = what.pod_before
                                  && cluster::any_collides(waiting.requirements().ports,
                                                           what.pod_before->compiled_spec->requirements->ports);
               return freed ? QueueingHint::Queue : QueueingHint::Skip;
             }},
            {cluster::EventResource::Node, cluster::ActionType::Add}};
  }
};

}  // namespace

PluginPtr make_node_ports(const PluginArgs* /*args*/) { return std::make_unique<NodePorts>(); }

}  // namespace rescheduler::placement
