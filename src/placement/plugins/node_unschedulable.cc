// A cordoned node takes only pods that tolerate the unschedulable taint.
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

constexpr cluster::Taint kCordon{cluster::Symbol::UnschedulableTaint, cluster::Symbol::Empty,
                                 cluster::Symbol::NoSchedule};

class NodeUnschedulable final : public PluginOf<NodeUnschedulable> {
 public:
  std::string_view name() const override { return "NodeUnschedulable"; }
  bool depends_on_node_only() const override { return true; }

  Code filter(const PodContext& context,
              const CycleState& /*state*/,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    if (admits(context.requirements(), *node.node)) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) were unschedulable");
    return Code::UnschedulableAndUnresolvable;
  }

  std::vector<ClusterEventWithHint> events_to_register() const override {
    return {{cluster::EventResource::Node,
             {cluster::ActionType::Add, cluster::ActionType::NodeTaint},
             [](const PodContext& waiting, const cluster::ClusterEvent& what) {
               return what.node_after && admits(waiting.requirements(), *what.node_after) ? QueueingHint::Queue
                                                                                          : QueueingHint::Skip;
             }},
            {cluster::EventResource::TargetPod, cluster::ActionType::PodToleration}};
  }

 private:
  static bool admits(const cluster::NodeRequirements& requirements, const cluster::Node& node) {
    return !node.unschedulable || cluster::tolerated(requirements.tolerations, kCordon);
  }
};

}  // namespace

PluginPtr make_node_unschedulable(const PluginArgs* /*args*/) { return std::make_unique<NodeUnschedulable>(); }

}  // namespace rescheduler::placement
