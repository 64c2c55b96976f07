#include "cluster/topology.h"

#include <algorithm>

namespace rescheduler::cluster {

const Domains* Topology::find(Symbol key) const {
  const auto found = std::ranges::find(keys_, key, &Domains::key);
  return found == keys_.end() ? nullptr : &*found;
}

const Domains& Topology::prepare(Symbol key, const PagedVector<NodeInfo>& nodes) {
  if (const Domains* known = find(key)) return *known;
  Domains& domains = keys_.emplace_back();
  domains.key = key;
  for (const NodeInfo& node : nodes) place(domains, node);
  return domains;
}

void Topology::node_changed(const NodeInfo& node) {
  for (Domains& domains : keys_) place(domains, node);
}

void Topology::place(Domains& domains, const NodeInfo& node) {
  if (domains.of_node.size() <= node.index) domains.of_node.resize(node.index + 1, kNoDomain);
  Domain& domain = domains.of_node[node.index];
  if (!node.exists() || !node.node->has_label(domains.key)) {
    domain = kNoDomain;
    return;
  }
  const Symbol value = node.node->label(domains.key);
  const auto [known, fresh] = domains.by_value.try_emplace(value, static_cast<Domain>(domains.values.size()));
  if (fresh) domains.values.push_back(value);
  domain = known->second;
}

}  // namespace rescheduler::cluster
