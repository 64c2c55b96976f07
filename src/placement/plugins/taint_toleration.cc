// A taint that the pod does not tolerate rejects the node (NoSchedule, NoExecute) or lowers its score
// (PreferNoSchedule).
#include <algorithm>

#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

using cluster::Symbol;

class TaintToleration final : public PluginOf<TaintToleration, Point::PreScore> {
 public:
  std::string_view name() const override { return "TaintToleration"; }
  bool depends_on_node_only() const override { return true; }

  Code filter(const PodContext& context,
              const CycleState& /*state*/,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    if (!cluster::forbidden(context.requirements().tolerations, node.node->taints)) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) had untolerated taint(s)");
    return Code::UnschedulableAndUnresolvable;
  }

  // The number of untolerated PreferNoSchedule taints.
  std::int64_t score(const PodContext& context,
                     const CycleState& /*state*/,
                     const cluster::NodeInfo& node) const override {
    return std::ranges::count_if(node.node->taints, [&](const cluster::Taint& taint) {
      return taint.effect == Symbol::PreferNoSchedule && !tolerated_softly(context.requirements().tolerations, taint);
    });
  }
  void normalize(const PodContext& /*context*/,
                 const CycleState& /*state*/,
                 std::span<const cluster::NodeIndex> /*feasible*/,
                 std::span<std::int64_t> scores) const override {
    normalize_by_max(scores, true);
  }

  std::vector<ClusterEventWithHint> events_to_register() const override {
    return {{cluster::EventResource::Node,
             {cluster::ActionType::Add, cluster::ActionType::NodeTaint},
             [](const PodContext& waiting, const cluster::ClusterEvent& what) {
               const auto& tolerations = waiting.requirements().tolerations;
               const bool before = what.node_before && !cluster::forbidden(tolerations, what.node_before->taints);
               const bool after = what.node_after && !cluster::forbidden(tolerations, what.node_after->taints);
               return after && !before ? QueueingHint::Queue : QueueingHint::Skip;
             }},
            {cluster::EventResource::TargetPod, cluster::ActionType::PodToleration}};
  }

 private:
  // A toleration of another effect does not count.
  static bool tolerated_softly(std::span<const cluster::Toleration> tolerations, const cluster::Taint& taint) {
    return std::ranges::any_of(tolerations, [&](const cluster::Toleration& toleration) {
      return (toleration.effect == Symbol::Empty || toleration.effect == Symbol::PreferNoSchedule)
             && toleration.tolerates(taint);
    });
  }
};

}  // namespace

PluginPtr make_taint_toleration(const PluginArgs* /*args*/) { return std::make_unique<TaintToleration>(); }

}  // namespace rescheduler::placement
