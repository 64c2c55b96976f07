// How much of each resource: what a pod asks for, what a node has. CPU in thousandths of a core, everything else in
// whole units; rounded up, so that no request ever looks smaller than it is.
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
  // Extended resources, huge pages and their like, in order of their symbols; zeros that were written are kept.
  std::vector<std::pair<Symbol, std::int64_t>> others{};

  std::int64_t other(Symbol name) const;  // zero when it is not there
  void set_other(Symbol name, std::int64_t amount);

  // Is there anything of which this is less?
  bool falls_short_of(const ResourceList& more) const;

  ResourceList& operator+=(const ResourceList& added);
  ResourceList& operator-=(const ResourceList& taken);
  friend bool operator==(const ResourceList&, const ResourceList&) = default;
};

}  // namespace rescheduler::cluster
