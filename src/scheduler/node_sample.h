// How many feasible nodes are enough, in a cluster of a size: kube-scheduler's rule.
#pragma once

#include <algorithm>
#include <cstddef>

namespace rescheduler::scheduler {

// `percentage` 100: all. 0: fewer of a larger cluster, from half of it down to a twentieth.
inline std::size_t nodes_to_find(std::size_t nodes, int percentage) {
  constexpr std::size_t kAlwaysAll = 100;
  if (nodes < kAlwaysAll || percentage >= 100) return nodes;
  auto share = static_cast<std::size_t>(std::max(0, percentage));
  if (share == 0) share = nodes / 125 >= 45 ? 5 : 50 - nodes / 125;
  return std::max(kAlwaysAll, nodes * share / 100);
}

}  // namespace rescheduler::scheduler
