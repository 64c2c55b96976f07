#include "placement/node_match.h"

#include <algorithm>

namespace rescheduler::placement {

bool matches_node_affinity(const cluster::NodeRequirements& requirements,
                           const cluster::Node& node,
                           const cluster::SymbolTable& symbols) {
  const bool selected = std::ranges::all_of(requirements.node_selector, [&](const cluster::Label& wanted) {
    return node.label(wanted.first) == wanted.second && node.has_label(wanted.first);
  });
  if (!selected) return false;
  return !requirements.required || requirements.required->matches(cluster::NodeLabels(node, symbols), node.name);
}

}  // namespace rescheduler::placement
