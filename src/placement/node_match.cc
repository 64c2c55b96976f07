#include "placement/node_match.h"

#include <algorithm>

namespace rescheduler::placement {

bool matches_node_affinity(const cluster::NodeNeeds& needs,
                           const cluster::Node& node,
                           const cluster::Symbols& symbols) {
  const bool selected = std::ranges::all_of(needs.node_selector, [&](const cluster::Label& wanted) {
    return node.label(wanted.first) == wanted.second && node.has_label(wanted.first);
  });
  if (!selected) return false;
  return !needs.required || needs.required->matches(cluster::NodeLabels(node, symbols), node.name);
}

}  // namespace rescheduler::placement
