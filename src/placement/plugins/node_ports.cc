// Ports of the host can be had once.
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class NodePorts final : public PluginOf<NodePorts> {
 public:
  std::string_view name() const override { return "NodePorts"; }
  bool looks_at_node_alone() const override { return true; }

  PreFilterResult pre_filter(const Question& asked, CycleState& /*state*/) const override {
    return {{asked.needs().ports.empty() ? Code::Skip : Code::Success}};
  }

  Code filter(const Question& asked,
              const CycleState& /*state*/,
              const cluster::NodeState& node,
              Reasons* why) const override {
    if (!cluster::any_collides(asked.needs().ports, node.ports)) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) didn't have free ports for the requested pod ports");
    return Code::Unschedulable;
  }

  std::vector<Interest> interests() const override {
    return {{cluster::Subject::AssignedPod, cluster::Change::Delete,
             [](const Question& waiting, const cluster::Happening& what) {
               const bool freed =
                   what.pod_before && cluster::any_collides(waiting.needs().ports, what.pod_before->form->needs->ports);
               return freed ? Hint::Queue : Hint::Skip;
             }},
            {cluster::Subject::Node, cluster::Change::Add}};
  }
};

}  // namespace

PluginPtr make_node_ports(const PluginArgs* /*args*/) { return std::make_unique<NodePorts>(); }

}  // namespace rescheduler::placement
