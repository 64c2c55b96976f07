// Some fields of a pod need a feature that only newer nodes have. Nodes declare their features.
#include <algorithm>

#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class NodeDeclaredFeatures final : public PluginOf<NodeDeclaredFeatures> {
 public:
  std::string_view name() const override { return "NodeDeclaredFeatures"; }
  bool depends_on_node_only() const override { return true; }

  PreFilterResult pre_filter(const PodContext& context, CycleState& /*state*/) const override {
    return {{context.requirements().features.empty() ? Code::Skip : Code::Success}};
  }

  Code filter(const PodContext& context,
              const CycleState& /*state*/,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    if (declares_all(*node.node, context.requirements())) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) didn't match Pod's required features");
    return Code::UnschedulableAndUnresolvable;
  }

  std::vector<ClusterEventWithHint> events_to_register() const override {
    return {{cluster::EventResource::Node,
             {cluster::ActionType::Add, cluster::ActionType::NodeFeature},
             [](const PodContext& waiting, const cluster::ClusterEvent& what) {
               return what.node_after && declares_all(*what.node_after, waiting.requirements()) ? QueueingHint::Queue
                                                                                                : QueueingHint::Skip;
             }},
            {cluster::EventResource::TargetPod, cluster::ActionType::Update}};
  }

 private:
  static bool declares_all(const cluster::Node& node, const cluster::NodeRequirements& requirements) {
    return std::ranges::includes(node.features, requirements.features);
  }
};

}  // namespace

PluginPtr make_node_declared_features(const PluginArgs* /*args*/) { return std::make_unique<NodeDeclaredFeatures>(); }

}  // namespace rescheduler::placement
