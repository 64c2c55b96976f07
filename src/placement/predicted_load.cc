#include "placement/predicted_load.h"

#include <algorithm>

#include "cluster/estimate.h"

namespace rescheduler::placement {
namespace {

using cluster::LoadBasis;
using cluster::LoadSummary;
using cluster::NodeInfo;

double requested_share(const NodeInfo& node, std::size_t resource) {
  switch (resource) {
    // The nonzero sums count pods without requests too. Otherwise a node full of such pods would look empty.
    case cluster::kCpuLoad: return cluster::share_of(node.nonzero_cpu, node.node->allocatable.cpu);
    case cluster::kMemoryLoad: return cluster::share_of(node.nonzero_memory, node.node->allocatable.memory);
    default: return 0;
  }
}

// For a node without a fresh sample: the maximum of its requests and the usual load (mean plus reservations). The node
// is neither taken for idle nor avoided like a full one.
double guessed_load(const NodeInfo& node, std::size_t resource, const LoadSummary& load_summary) {
  const double usual = load_summary.mean[resource] + node.load.reserved[resource];
  const double requested = requested_share(node, resource);
  return std::isnan(usual) ? requested : std::max(requested, usual);
}

}  // namespace

double predicted_load(const NodeInfo& node, std::size_t resource, const LoadSummary& load_summary) {
  if (load_summary.basis != LoadBasis::Usage) return requested_share(node, resource);
  return node.load.knows(resource) ? node.load.predicted(resource) : guessed_load(node, resource, load_summary);
}

cluster::Loads predicted_loads(const NodeInfo& node, const LoadSummary& load_summary) {
  cluster::Loads loads = cluster::loads_of(cluster::kUnknownLoad);
  for (std::size_t i = 0; i < std::min(load_summary.resources.size(), cluster::kMostLoads); ++i) {
    const bool requestable = i <= cluster::kMemoryLoad;
    const bool measured = load_summary.basis == LoadBasis::Usage && node.load.knows(i);
    if (requestable || measured) loads[i] = predicted_load(node, i, load_summary);
  }
  return loads;
}

}  // namespace rescheduler::placement
