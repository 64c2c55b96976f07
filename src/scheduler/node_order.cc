#include "scheduler/node_order.h"

#include <utility>

#include <boost/unordered/unordered_flat_map.hpp>

namespace rescheduler::scheduler {
namespace {

using cluster::Node;
using cluster::NodeIndex;
using cluster::Symbol;

// The beta label takes precedence if a node has both.
Symbol label_of(const Node& node, Symbol beta, Symbol stable) {
  return node.label(node.has_label(beta) ? beta : stable);
}

}  // namespace

std::vector<NodeIndex> zone_interleaved(const cluster::Cluster& cluster) {
  std::vector<std::vector<NodeIndex>> zones;
  boost::unordered_flat_map<std::pair<Symbol, Symbol>, std::size_t> known;
  for (const NodeIndex index : cluster.existing_nodes()) {
    const Node& node = *cluster.node(index).node;
    const auto [zone, fresh] = known.try_emplace(
        std::pair(label_of(node, Symbol::BetaRegion, Symbol::Region), label_of(node, Symbol::BetaZone, Symbol::Zone)),
        zones.size());
    if (fresh) zones.emplace_back();
    zones[zone->second].push_back(index);
  }
  std::vector<NodeIndex> order;
  order.reserve(cluster.node_count());
  for (std::size_t turn = 0; order.size() < cluster.node_count(); ++turn) {
    for (const auto& nodes : zones) {
      if (turn < nodes.size()) order.push_back(nodes[turn]);
    }
  }
  return order;
}

}  // namespace rescheduler::scheduler
