// The topology domain of each node, for every topology key that affinity or spreading uses: zones, racks, hosts.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/copy_on_write.h"
#include "cluster/node.h"

namespace rescheduler::cluster {

using Domain = std::uint32_t;
inline constexpr Domain kNoDomain = ~Domain{0};  // the node does not have the label

struct Domains {
  Symbol key = Symbol::Empty;
  std::vector<Domain> of_node{};  // by NodeIndex
  std::vector<Symbol> values{};   // by Domain
  boost::unordered_flat_map<Symbol, Domain> by_value{};

  Domain of(NodeIndex node) const { return node < of_node.size() ? of_node[node] : kNoDomain; }
};

class Topology {
 public:
  // Null: the key is not prepared.
  const Domains* find(Symbol key) const;
  const Domains& prepare(Symbol key, const PagedVector<NodeInfo>& nodes);
  void node_changed(const NodeInfo& node);  // the node was added or removed, or its labels changed

 private:
  static void place(Domains& domains, const NodeInfo& node);

  std::deque<Domains> keys_;
};

}  // namespace rescheduler::cluster
