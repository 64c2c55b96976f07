// A pod with scheduling gates is not scheduled until the last gate is removed.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kube/proto/core_pod.pb.h"
#include "placement/plugins/plugins.h"

namespace rescheduler::placement {
namespace {

class SchedulingGates final : public PluginOf<SchedulingGates> {
 public:
  std::string_view name() const override { return "SchedulingGates"; }

  Status pre_enqueue(const PodContext& context) const override {
    std::vector<std::string> gates;
    for (const auto& gate : context.pod.spec().scheduling_gates()) gates.push_back(gate.name());
    if (gates.empty()) return {};
    return {Code::UnschedulableAndUnresolvable,
            {fmt::format("waiting for scheduling gates: [{}]", fmt::join(gates, " "))}};
  }

  std::vector<ClusterEventWithHint> events_to_register() const override {
    return {{cluster::EventResource::TargetPod, cluster::ActionType::PodGatesGone}};
  }
};

}  // namespace

PluginPtr make_scheduling_gates(const PluginArgs* /*args*/) { return std::make_unique<SchedulingGates>(); }

}  // namespace rescheduler::placement
