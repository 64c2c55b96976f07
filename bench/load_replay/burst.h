// A small case that shows what a rule does: a burst of pods between two readings.
#pragma once

#include <cstdint>

#include "rules/rule.h"

namespace rescheduler::replay {

struct BurstOptions {
  int nodes = 20;
  int pods = 200;
  bool mixed = false;     // pods of different sizes
  bool one_idle = false;  // one node is idle
  std::uint64_t seed = 1;
};

// Places the pods between two readings on equal nodes at 20 % load; with `one_idle`, one node has no load. Returns the
// largest load of a node divided by the mean, once the pods use their requests.
double burst(const NamedRule& rule, const BurstOptions& options);

}  // namespace rescheduler::replay
