// Volumes with zone and region labels can be used only from nodes in these zones and regions.
#pragma once

#include <memory>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

class VolumeZone final : public PluginOf<VolumeZone> {
 public:
  std::string_view name() const override { return "VolumeZone"; }
  PreFilterResult pre_filter(const PodContext& context, CycleState& state) const override;
  Code filter(const PodContext& context,
              const CycleState& state,
              const cluster::NodeInfo& node,
              Reasons* why) const override;
  std::vector<ClusterEventWithHint> events_to_register() const override;
};

std::unique_ptr<Plugin> make_volume_zone(const PluginArgs* args);

}  // namespace rescheduler::placement
