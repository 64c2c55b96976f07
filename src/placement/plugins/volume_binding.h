// The volumes of a pod's claims. The node must reach the bound volumes. For waiting claims, volumes must be found or
// provisioned. scheduler/volume_binder.h writes the decisions to the API and waits for them.
#pragma once

#include <chrono>
#include <memory>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

class VolumeBinding final : public PluginOf<VolumeBinding, Point::Score, Point::Reserve, Point::PreBind> {
 public:
  explicit VolumeBinding(std::chrono::seconds bind_timeout) : bind_timeout_(bind_timeout) {}

  std::string_view name() const override { return "VolumeBinding"; }
  PreFilterResult pre_filter(const PodContext& context, CycleState& state) const override;
  Code filter(const PodContext& context,
              const CycleState& state,
              const cluster::NodeInfo& node,
              Reasons* why) const override;
  // Volumes give no score: scoring by free storage is off in the kube-scheduler version that we follow.
  Status pre_score(const PodContext& context,
                   CycleState& state,
                   std::span<const cluster::NodeIndex> feasible) const override;
  std::vector<ClusterEventWithHint> events_to_register() const override;

  std::chrono::seconds bind_timeout() const { return bind_timeout_; }

 private:
  std::chrono::seconds bind_timeout_;
};

std::unique_ptr<Plugin> make_volume_binding(const PluginArgs* args);

}  // namespace rescheduler::placement
