// Amounts of resources: the requests of a pod or the allocatable of a node. CPU is in thousandths of a core, all others
// in whole units. Amounts are rounded up, so that no request looks smaller than it is.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "cluster/symbol_table.h"

namespace rescheduler::cluster {

struct ResourceList {
  std::int64_t cpu = 0;
  std::int64_t memory = 0;
  std::int64_t ephemeral_storage = 0;
  // Extended resources, huge pages and similar, sorted by symbol. Explicit zeros are kept.
  std::vector<std::pair<Symbol, std::int64_t>> others{};

  std::int64_t other(Symbol name) const;  // zero if missing
  void set_other(Symbol name, std::int64_t amount);

  // Is any resource here less than in `more`?
  bool falls_short_of(const ResourceList& more) const;

  ResourceList& operator+=(const ResourceList& added);
  ResourceList& operator-=(const ResourceList& taken);
  friend bool operator==(const ResourceList&, const ResourceList&) = default;
};

}  // namespace rescheduler::cluster
