// Node selectors and node affinity, required and preferred, and the affinity that the profile adds to every pod.
#include <optional>
#include <set>

#include "kube/proto/core_pod.pb.h"
#include "kube/value/wire_selectors.h"
#include "placement/node_match.h"
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

std::vector<cluster::PreferredTerm> preferred_of(const api::NodeAffinity& affinity) {
  std::vector<cluster::PreferredTerm> terms;
  for (const auto& wire : affinity.preferred_during_scheduling_ignored_during_execution()) {
    if (wire.weight() == 0) continue;
    if (auto term = kube::compile_term(wire.preference())) terms.push_back({wire.weight(), std::move(*term)});
  }
  return terms;
}

class NodeAffinity final : public PluginOf<NodeAffinity> {
 public:
  explicit NodeAffinity(const NodeAffinityArgs& args) {
    if (!args.added_affinity) return;
    const api::NodeAffinity& added = *args.added_affinity;
    if (added.has_required_during_scheduling_ignored_during_execution()) {
      added_required_ = kube::compile_node_selector(added.required_during_scheduling_ignored_during_execution());
    }
    added_preferred_ = preferred_of(added);
  }

  std::string_view name() const override { return "NodeAffinity"; }
  bool depends_on_node_only() const override { return true; }

  PreFilterResult pre_filter(const PodContext& context, CycleState& /*state*/) const override {
    const cluster::NodeRequirements& requirements = context.requirements();
    if (requirements.node_selector.empty() && !requirements.required && !added_required_) return {{Code::Skip}};
    if (!requirements.named_nodes) return {};
    if (requirements.named_nodes->empty()) {
      return {{Code::UnschedulableAndUnresolvable, {"pod affinity terms conflict"}}};
    }
    return {{}, std::set<std::string>(requirements.named_nodes->begin(), requirements.named_nodes->end())};
  }

  Code filter(const PodContext& context,
              const CycleState& /*state*/,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    const auto& symbols = context.cluster.interner().symbols;
    if (!added_admits(*node.node, symbols)) {
      if (why != nullptr) why->emplace_back("node(s) didn't match scheduler-enforced node affinity");
      return Code::UnschedulableAndUnresolvable;
    }
    if (matches_node_affinity(context.requirements(), *node.node, symbols)) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) didn't match Pod's node affinity/selector");
    return Code::UnschedulableAndUnresolvable;
  }

  Status pre_score(const PodContext& context,
                   CycleState& /*state*/,
                   std::span<const cluster::NodeIndex> /*feasible*/) const override {
    return {context.requirements().preferred.empty() && added_preferred_.empty() ? Code::Skip : Code::Success};
  }
  std::int64_t score(const PodContext& context,
                     const CycleState& /*state*/,
                     const cluster::NodeInfo& node) const override {
    const cluster::NodeLabels labels(*node.node, context.cluster.interner().symbols);
    std::int64_t sum = 0;
    for (const auto* terms : {&context.requirements().preferred, &added_preferred_}) {
      for (const auto& [weight, term] : *terms) {
        if (term.matches(labels, node.node->name)) sum += weight;
      }
    }
    return sum;
  }
  void normalize(const PodContext& /*context*/,
                 const CycleState& /*state*/,
                 std::span<const cluster::NodeIndex> /*feasible*/,
                 std::span<std::int64_t> scores) const override {
    normalize_by_max(scores, false);
  }

  std::vector<ClusterEventWithHint> events_to_register() const override {
    return {{cluster::EventResource::Node,
             {cluster::ActionType::Add, cluster::ActionType::NodeLabel},
             [this](const PodContext& waiting, const cluster::ClusterEvent& what) {
               const auto admits = [&](const std::shared_ptr<const cluster::Node>& node) {
                 const auto& symbols = waiting.cluster.interner().symbols;
                 return node && added_admits(*node, symbols)
                        && matches_node_affinity(waiting.requirements(), *node, symbols);
               };
               return admits(what.node_after) && !admits(what.node_before) ? QueueingHint::Queue : QueueingHint::Skip;
             }}};
  }

 private:
  bool added_admits(const cluster::Node& node, const cluster::SymbolTable& symbols) const {
    return !added_required_ || added_required_->matches(cluster::NodeLabels(node, symbols), node.name);
  }

  std::optional<kube::NodeSelector> added_required_;
  std::vector<cluster::PreferredTerm> added_preferred_;
};

}  // namespace

PluginPtr make_node_affinity(const PluginArgs* args) {
  return std::make_unique<NodeAffinity>(args_or_default<NodeAffinityArgs>(args));
}

}  // namespace rescheduler::placement
