// Disks that cannot be mounted twice on a node, and claims that only one pod of the cluster may use.
#pragma once

#include <memory>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

class VolumeRestrictions final : public PluginOf<VolumeRestrictions> {
 public:
  std::string_view name() const override { return "VolumeRestrictions"; }
  PreFilterResult pre_filter(const Question& asked, CycleState& state) const override;
  void add_pod(const Question& asked,
               CycleState& state,
               const cluster::PlacedPod& pod,
               const cluster::NodeState& node) const override;
  void remove_pod(const Question& asked,
                  CycleState& state,
                  const cluster::PlacedPod& pod,
                  const cluster::NodeState& node) const override;
  Code filter(const Question& asked,
              const CycleState& state,
              const cluster::NodeState& node,
              Reasons* why) const override;
  std::vector<Interest> interests() const override;
};

std::unique_ptr<Plugin> make_volume_restrictions(const PluginArgs* args);

}  // namespace rescheduler::placement
