// Keeps a replacement pod away from the nodes where its predecessors failed (annotation kse.com/scheduled-hosts).
//
// Soft, the default: if no other node is feasible, the pod gets the node of the oldest failure, and the scheduler
// records that on the pod. A pod that stays pending is worse than one that fails again, and the retry budget limits the
// failures. Hard: the pod stays pending.
#include <algorithm>

#include <fmt/format.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/plugins/plugins.h"
#include "placement/visited_nodes.h"

namespace rescheduler::placement {
namespace {

using cluster::NodeIndex;

struct Visited final : StateData {
  std::vector<NodeIndex> nodes{};  // existing nodes, the oldest visit first
  bool relaxed_by = false;
  std::unique_ptr<StateData> clone() const override { return std::make_unique<Visited>(*this); }
};

class Podrescheduling final : public PluginOf<Podrescheduling> {
 public:
  explicit Podrescheduling(const PodreschedulingArgs& args) : hard_(args.hard) {}

  std::string_view name() const override { return "Podrescheduling"; }

  PreFilterResult pre_filter(const PodContext& context, CycleState& state) const override {
    const auto& annotations = context.pod.metadata().annotations();
    const auto found = annotations.find(std::string(kScheduledHosts));
    if (found == annotations.end()) return {{Code::Skip}};
    const auto names = read_visited(found->second);
    if (!names) return {{Code::Skip, {fmt::format("{}; it is ignored", names.error().message)}}};
    Visited visited;
    for (const std::string& name : *names) {
      if (const auto node = context.cluster.find_node(name)) visited.nodes.push_back(*node);
    }
    if (visited.nodes.empty()) return {{Code::Skip}};
    state.write(slot(), std::move(visited));
    return {};
  }

  Code filter(const PodContext& /*context*/,
              const CycleState& state,
              const cluster::NodeInfo& node,
              Reasons* why) const override {
    const auto* visited = state.find<Visited>(slot());
    if (visited == nullptr || visited->relaxed_by) return Code::Success;
    if (std::ranges::find(visited->nodes, node.index) == visited->nodes.end()) return Code::Success;
    if (why != nullptr) why->emplace_back("node(s) were where the pod failed before");
    // In soft mode preemption can help: after relaxed_candidates() the node is accepted.
    return hard_ ? Code::UnschedulableAndUnresolvable : Code::Unschedulable;
  }

  RelaxedCandidates relaxed_candidates(const PodContext& /*context*/, CycleState& state) const override {
    auto* visited = state.find<Visited>(slot());
    if (hard_ || visited == nullptr) return {};
    visited->relaxed_by = true;
    return {visited->nodes, true};
  }

  std::vector<ClusterEventWithHint> events_to_register() const override {
    using cluster::ActionType;
    using cluster::EventResource;
    return {{EventResource::Node, ActionType::Add}, {EventResource::TargetPod, ActionType::Update}};
  }

 private:
  bool hard_;
};

}  // namespace

PluginPtr make_podrescheduling(const PluginArgs* args) {
  return std::make_unique<Podrescheduling>(args_or_default<PodreschedulingArgs>(args));
}

}  // namespace rescheduler::placement
