// Common parts of the volume plugins: the claims of a pod, and the messages for a missing claim.
#pragma once

#include <string>
#include <string_view>

#include "cluster/volumes/volume_records.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

enum class Ephemeral { Included, LeftOut };

// Does the waiting pod use the claim of this event?
bool uses(const PodContext& waiting, const cluster::ClusterEvent& what, Ephemeral ephemeral);

// The claim of an ephemeral volume belongs to the pod that it was created for.
bool belongs_to(const cluster::Claim& claim, const api::Pod& pod);

// Visits the assigned pods and the hypothetical ones (nominated pods).
template <class Look>
void for_each_pod_on(const cluster::NodeInfo& node, const cluster::Cluster& cluster, Look look) {
  for (cluster::PodIndex index : node.pods) look(cluster.pod(index));
  for (const auto& hypothetical_pod : node.hypothetical_pods) look(*hypothetical_pod);
}

std::string claim_not_found(std::string_view name);
std::string not_owner(const PodContext& context, std::string_view claim);

}  // namespace rescheduler::placement
