// A pod that names its node gets that one or none.
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class NodeName final : public PluginOf<NodeName> {
 public:
  std::string_view name() const override { return "NodeName"; }
  bool looks_at_node_alone() const override { return true; }

  Code filter(const Question& asked,
              const CycleState& /*state*/,
              const cluster::NodeState& node,
              Reasons* why) const override {
    const std::string& wanted = asked.needs().node_name;
    if (wanted.empty() || wanted == node.node->name) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) didn't match the requested node name");
    return Code::UnschedulableAndUnresolvable;
  }

  std::vector<Interest> interests() const override { return {{cluster::Subject::Node, cluster::Change::Add}}; }
};

}  // namespace

PluginPtr make_node_name(const PluginArgs* /*args*/) { return std::make_unique<NodeName>(); }

}  // namespace rescheduler::placement
