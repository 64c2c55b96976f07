// How good a node is by how much of it is taken: what Fit and BalancedAllocation have in common.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/cluster.h"
#include "placement/args.h"

namespace rescheduler::placement {

// One resource of a node, as a score sees it. `allocatable` 0: not counted.
struct Share {
  std::int64_t before = 0;  // taken by the pods that are there
  std::int64_t with = 0;    // ... and by the new one
  std::int64_t allocatable = 0;
  std::int64_t weight = 1;
};

enum class Counting {
  Plain,    // what pods ask for
  NonZero,  // with something for those that ask for nothing
};

// What the pod asks for, of each of these resources.
std::vector<std::int64_t> requests_for(const cluster::NodeRequirements& requirements,
                                       const std::vector<ResourceWeight>& resources,
                                       Counting counting,
                                       const cluster::SymbolTable& symbols);

std::vector<Share> shares_of(const cluster::NodeRequirements& requirements,
                             const cluster::NodeInfo& node,
                             const std::vector<ResourceWeight>& resources,
                             Counting counting,
                             const cluster::SymbolTable& symbols);

}  // namespace rescheduler::placement
