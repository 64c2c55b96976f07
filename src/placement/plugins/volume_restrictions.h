// Disks that cannot be mounted twice on a node, and claims that only one pod of the cluster can use.
#pragma once

#include <memory>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

class VolumeRestrictions final : public PluginOf<VolumeRestrictions> {
 public:
  std::string_view name() const override { return "VolumeRestrictions"; }
  PreFilterResult pre_filter(const PodContext& context, CycleState& state) const override;
  void add_pod(const PodContext& context,
               CycleState& state,
               const cluster::AssignedPod& pod,
               const cluster::NodeInfo& node) const override;
  void remove_pod(const PodContext& context,
                  CycleState& state,
                  const cluster::AssignedPod& pod,
                  const cluster::NodeInfo& node) const override;
  Code filter(const PodContext& context,
              const CycleState& state,
              const cluster::NodeInfo& node,
              Reasons* why) const override;
  std::vector<ClusterEventWithHint> events_to_register() const override;
};

std::unique_ptr<Plugin> make_volume_restrictions(const PluginArgs* args);

}  // namespace rescheduler::placement
