// Sums counts by node to counts by topology domain.
#pragma once

#include <cstdint>
#include <vector>

#include "cluster/cluster.h"

namespace rescheduler::placement {

struct DomainSums {
  const cluster::Domains* domains = nullptr;
  std::vector<std::int64_t> by_domain{};

  explicit DomainSums(const cluster::Domains& of) : domains(&of), by_domain(of.values.size(), 0) {}

  void add(cluster::NodeIndex node, std::int64_t amount) {
    const cluster::Domain domain = domains->of(node);
    if (domain != cluster::kNoDomain) by_domain[domain] += amount;
  }
  void add_all(const cluster::NodeCounts& counts, std::int64_t factor = 1) {
    for (const auto& [node, count] : counts) add(node, count * factor);
  }
  // Zero if the node does not have the label.
  std::int64_t at(cluster::NodeIndex node) const {
    const cluster::Domain domain = domains->of(node);
    return domain == cluster::kNoDomain ? 0 : by_domain[domain];
  }
  bool covers(cluster::NodeIndex node) const { return domains->of(node) != cluster::kNoDomain; }
};

}  // namespace rescheduler::placement
