// Which volumes a pod would get on a node. Pure, and the same each time it is asked of the same model: what Filter
// found out about a node need not be remembered, it is asked again for the node that was chosen.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/volumes/volumes.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

// What can be said before any node is looked at.
struct VolumePlan {
  // A claim that waits for a node, and the volumes that may be its own.
  struct Waiting {
    cluster::ClaimPtr claim{};
    // Promised to this claim already: this one, where it can be reached, or none.
    cluster::VolumePtr prebound{};
    // Otherwise the smallest that can be reached: from anywhere or by labels, and by host. Smallest first, then by
    // name.
    std::vector<cluster::VolumePtr> anywhere{};
    boost::unordered_flat_map<cluster::Symbol, std::vector<cluster::VolumePtr>> on_host{};
  };
  std::vector<cluster::ClaimPtr> bound{};
  std::vector<Waiting> waiting{};           // smallest request first
  std::vector<cluster::ClaimPtr> placed{};  // waiting for a volume that is being provisioned for a chosen node
};

struct PlannedVolumes {
  Status status{};  // Skip: the pod uses no claims
  VolumePlan plan{};
};

PlannedVolumes plan_volumes(const PodContext& context);

struct VolumeDecision {
  struct Binding {
    cluster::VolumePtr volume{};
    cluster::ClaimPtr claim{};
  };
  std::vector<Binding> bindings{};
  std::vector<cluster::ClaimPtr> provisions{};

  bool empty() const { return bindings.empty() && provisions.empty(); }
};

// `decision` and `why` may be null.
Code decide_volumes(const cluster::Volumes& volumes,
                    const VolumePlan& plan,
                    const cluster::Node& node,
                    VolumeDecision* decision,
                    Reasons* why);

// Both at once, for a node that has been chosen. Nothing: the node is not possible after all.
std::optional<VolumeDecision> decide_volumes(const PodContext& context, const cluster::Node& node);

// Can the volume be reached from the node? A sentence if that cannot be found out.
Result<bool> reaches(const cluster::Volumes& volumes, const cluster::Volume& volume, const cluster::Node& node);
// The same, with what is known of the node's CSI drivers at hand (null: nothing).
Result<bool> reaches(const cluster::Volume& volume,
                     const cluster::Node& node,
                     const cluster::CsiNode* csi,
                     const cluster::SymbolTable& symbols);

}  // namespace rescheduler::placement
