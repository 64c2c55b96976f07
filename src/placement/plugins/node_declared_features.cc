// Some things a pod may ask for only newer nodes can do; they say so.
#include <algorithm>

#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class NodeDeclaredFeatures final : public PluginOf<NodeDeclaredFeatures> {
 public:
  std::string_view name() const override { return "NodeDeclaredFeatures"; }
  bool looks_at_node_alone() const override { return true; }

  PreFilterResult pre_filter(const Question& asked, CycleState& /*state*/) const override {
    return {{asked.needs().features.empty() ? Code::Skip : Code::Success}};
  }

  Code filter(const Question& asked,
              const CycleState& /*state*/,
              const cluster::NodeState& node,
              Reasons* why) const override {
    if (declares_all(*node.node, asked.needs())) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) didn't match Pod's required features");
    return Code::UnschedulableAndUnresolvable;
  }

  std::vector<Interest> interests() const override {
    return {{cluster::Subject::Node,
             {cluster::Change::Add, cluster::Change::NodeFeature},
             [](const Question& waiting, const cluster::Happening& what) {
               return what.node_after && declares_all(*what.node_after, waiting.needs()) ? Hint::Queue : Hint::Skip;
             }},
            {cluster::Subject::TargetPod, cluster::Change::Update}};
  }

 private:
  static bool declares_all(const cluster::Node& node, const cluster::NodeNeeds& needs) {
    return std::ranges::includes(node.features, needs.features);
  }
};

}  // namespace

PluginPtr make_node_declared_features(const PluginArgs* /*args*/) { return std::make_unique<NodeDeclaredFeatures>(); }

}  // namespace rescheduler::placement
