// Decides which volumes a pod gets on a node. Pure: the same model gives the same result. So the result of Filter is
// not stored, but computed again for the chosen node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "cluster/volumes/volumes.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

// The part of the decision that does not depend on the node.
struct VolumePlan {
  // A claim that waits for a node, and the volumes that it can get.
  struct Waiting {
    cluster::ClaimPtr claim{};
    // A volume prebound to this claim: only this volume can be used, if the node can reach it.
    cluster::VolumePtr prebound{};
    // Otherwise the smallest volume that the node can reach. `anywhere`: volumes without node affinity or with an
    // affinity by labels. `on_host`: volumes by host name. Both sorted by size, then by name.
    std::vector<cluster::VolumePtr> anywhere{};
    boost::unordered_flat_map<cluster::Symbol, std::vector<cluster::VolumePtr>> on_host{};
  };
  std::vector<cluster::ClaimPtr> bound{};
  std::vector<Waiting> waiting{};           // smallest request first
  std::vector<cluster::ClaimPtr> placed{};  // waiting for a volume that is being provisioned for the selected node
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

// Both steps, for a chosen node. Nothing: the node is no longer feasible.
std::optional<VolumeDecision> decide_volumes(const PodContext& context, const cluster::Node& node);

// Can the node reach the volume? The error is one sentence.
Result<bool> reaches(const cluster::Volumes& volumes, const cluster::Volume& volume, const cluster::Node& node);
// The same with the given CSINode (null: the node has none).
Result<bool> reaches(const cluster::Volume& volume,
                     const cluster::Node& node,
                     const cluster::CsiNode* csi,
                     const cluster::SymbolTable& symbols);

}  // namespace rescheduler::placement
