// How many feasible nodes are enough for a cluster size: kube-scheduler's rule (numFeasibleNodesToFind).
#pragma once

#include <algorithm>
#include <cstddef>

namespace rescheduler::scheduler {

// `percentage` 100: all nodes. 0: adaptive, from 50% in small clusters down to 5% in large clusters.
inline std::size_t nodes_to_find(std::size_t nodes, int percentage) {
  constexpr std::size_t kAlwaysAll = 100;
  if (nodes < kAlwaysAll || percentage >= 100) return nodes;
  auto share = static_cast<std::size_t>(std::max(0, percentage));
  if (share == 0) share = nodes / 125 >= 45 ? 5 : 50 - nodes / 125;
  return std::max(kAlwaysAll, nodes * share / 100);
}

}  // namespace rescheduler::scheduler
