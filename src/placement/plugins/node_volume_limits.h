// Limits the number of volumes of a CSI driver on a node.
#pragma once

#include <memory>

#include "placement/args.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

class NodeVolumeLimits final : public PluginOf<NodeVolumeLimits> {
 public:
  std::string_view name() const override { return "NodeVolumeLimits"; }
  PreFilterResult pre_filter(const PodContext& context, CycleState& state) const override;
  Code filter(const PodContext& context,
              const CycleState& state,
              const cluster::NodeInfo& node,
              Reasons* why) const override;
  std::vector<ClusterEventWithHint> events_to_register() const override;
};

std::unique_ptr<Plugin> make_node_volume_limits(const PluginArgs* args);

}  // namespace rescheduler::placement
