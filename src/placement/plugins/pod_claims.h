// What the volume plugins have in common: a pod's claims, and what they say when one is missing.
#pragma once

#include <string>
#include <string_view>

#include "cluster/volumes/volume_records.h"
#include "placement/plugin.h"

namespace rescheduler::placement {

enum class Ephemeral { Included, LeftOut };

// Does the waiting pod use the claim that something happened to?
bool uses(const PodContext& waiting, const cluster::ClusterEvent& what, Ephemeral ephemeral);

// A claim made for an ephemeral volume belongs to the pod it was made for.
bool belongs_to(const cluster::Claim& claim, const api::Pod& pod);

// Pods that are there and pods that are only imagined there (nominations).
template <class Look>
void for_each_pod_on(const cluster::NodeInfo& node, const cluster::Cluster& cluster, Look look) {
  for (cluster::PodIndex index : node.pods) look(cluster.pod(index));
  for (const auto& guest : node.guests) look(*guest);
}

std::string claim_not_found(std::string_view name);
std::string not_owner(const PodContext& context, std::string_view claim);

}  // namespace rescheduler::placement
