// A cordoned node takes only pods that tolerate it.
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

constexpr cluster::Taint kCordon{cluster::Symbol::UnschedulableTaint, cluster::Symbol::Empty,
                                 cluster::Symbol::NoSchedule};

class NodeUnschedulable final : public PluginOf<NodeUnschedulable> {
 public:
  std::string_view name() const override { return "NodeUnschedulable"; }
  bool looks_at_node_alone() const override { return true; }

  Code filter(const Question& asked,
              const CycleState& /*state*/,
              const cluster::NodeState& node,
              Reasons* why) const override {
    if (admits(asked.needs(), *node.node)) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) were unschedulable");
    return Code::UnschedulableAndUnresolvable;
  }

  std::vector<Interest> interests() const override {
    return {{cluster::Subject::Node,
             {cluster::Change::Add, cluster::Change::NodeTaint},
             [](const Question& waiting, const cluster::Happening& what) {
               return what.node_after && admits(waiting.needs(), *what.node_after) ? Hint::Queue : Hint::Skip;
             }},
            {cluster::Subject::TargetPod, cluster::Change::PodToleration}};
  }

 private:
  static bool admits(const cluster::NodeNeeds& needs, const cluster::Node& node) {
    return !node.unschedulable || cluster::tolerated(needs.tolerations, kCordon);
  }
};

}  // namespace

PluginPtr make_node_unschedulable(const PluginArgs* /*args*/) { return std::make_unique<NodeUnschedulable>(); }

}  // namespace rescheduler::placement
