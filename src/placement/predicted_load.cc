#include "placement/predicted_load.h"

#include <algorithm>

#include "cluster/estimate.h"

namespace rescheduler::placement {
namespace {

using cluster::LoadBasis;
using cluster::LoadPicture;
using cluster::NodeState;

double requested_share(const NodeState& node, std::size_t resource) {
  switch (resource) {
    // Pods that ask for nothing are counted too, or any number of them would look like none.
    case cluster::kCpuLoad: return cluster::share_of(node.nonzero_cpu, node.node->allocatable.cpu);
    case cluster::kMemoryLoad: return cluster::share_of(node.nonzero_memory, node.node->allocatable.memory);
    default: return 0;
  }
}

// Of a node about which nothing fresh is known: at least what the pods there ask for, at least what is usual. It is
// neither taken for idle nor avoided like a full one.
double guessed_load(const NodeState& node, std::size_t resource, const LoadPicture& picture) {
  const double usual = picture.mean[resource] + node.load.booked[resource];
  const double requested = requested_share(node, resource);
  return std::isnan(usual) ? requested : std::max(requested, usual);
}

}  // namespace

double predicted_load(const NodeState& node, std::size_t resource, const LoadPicture& picture) {
  if (picture.basis != LoadBasis::Usage) return requested_share(node, resource);
  return node.load.knows(resource) ? node.load.predicted(resource) : guessed_load(node, resource, picture);
}

cluster::Loads predicted_loads(const NodeState& node, const LoadPicture& picture) {
  cluster::Loads loads = cluster::loads_of(cluster::kUnknownLoad);
  for (std::size_t i = 0; i < std::min(picture.resources.size(), cluster::kMostLoads); ++i) {
    const bool requestable = i <= cluster::kMemoryLoad;
    const bool measured = picture.basis == LoadBasis::Usage && node.load.knows(i);
    if (requestable || measured) loads[i] = predicted_load(node, i, picture);
  }
  return loads;
}

}  // namespace rescheduler::placement
