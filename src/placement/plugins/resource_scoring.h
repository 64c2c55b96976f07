// Scores of nodes by their used resources: the common part of NodeResourcesFit and
// NodeResourcesBalancedAllocation.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <boost/container/small_vector.hpp>

#include "cluster/cluster.h"
#include "placement/args.h"

namespace rescheduler::placement {

// One resource of a node for scoring. `allocatable` 0: not counted.
struct Share {
  std::int64_t before = 0;  // used by the pods on the node
  std::int64_t with = 0;    // the same plus the incoming pod
  std::int64_t allocatable = 0;
  std::int64_t weight = 1;
};

// Few profiles score more resources than this; then no score allocates memory.
inline constexpr std::size_t kUsualResources = 4;
using Shares = boost::container::small_vector<Share, kUsualResources>;

enum class Counting {
  Plain,    // the requests
  NonZero,  // with a default for pods without requests
};

// The pod's requests for each of these resources.
std::vector<std::int64_t> requests_for(const cluster::NodeRequirements& requirements,
                                       const std::vector<ResourceWeight>& resources,
                                       Counting counting,
                                       const cluster::SymbolTable& symbols);

Shares shares_of(const cluster::NodeRequirements& requirements,
                 const cluster::NodeInfo& node,
                 const std::vector<ResourceWeight>& resources,
                 Counting counting,
                 const cluster::SymbolTable& symbols);

}  // namespace rescheduler::placement
