// Volumes that say by label which zone and region they are in are used from nodes that are there.
#pragma once

#include <memory>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

class VolumeZone final : public PluginOf<VolumeZone> {
 public:
  std::string_view name() const override { return "VolumeZone"; }
  PreFilterResult pre_filter(const Question& asked, CycleState& state) const override;
  Code filter(const Question& asked,
              const CycleState& state,
              const cluster::NodeState& node,
              Reasons* why) const override;
  std::vector<Interest> interests() const override;
};

std::unique_ptr<Plugin> make_volume_zone(const PluginArgs* args);

}  // namespace rescheduler::placement
