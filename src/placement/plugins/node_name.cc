// A pod that names its node can run only there.
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class NodeName final : public PluginOf<NodeName> {
 public:
  std::string_view name() const override { return "NodeName"; }
  bool depends_on_node_only() const override { return true; }

  Code filter(const PodContext& context,
              const CycleState& /*state*/,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    const std::string& wanted = context.requirements().node_name;
    if (wanted.empty() || wanted == node.node->name) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) didn't match the requested node name");
    return Code::UnschedulableAndUnresolvable;
  }

  std::vector<ClusterEventWithHint> events_to_register() const override {
    return {{cluster::EventResource::Node, cluster::ActionType::Add}};
  }
};

}  // namespace

PluginPtr make_node_name(const PluginArgs* /*args*/) { return std::make_unique<NodeName>(); }

}  // namespace rescheduler::placement
