// A small case in which it can be seen by eye what a rule does: a burst of pods that no reading shows yet.
#pragma once

#include <cstdint>

#include "rules/rule.h"

namespace rescheduler::replay {

struct BurstOptions {
  int nodes = 20;
  int pods = 200;
  bool mixed = false;     // pods of different sizes
  bool one_idle = false;  // one node is not in use at all
  std::uint64_t seed = 1;
};

// 200 pods between two readings on equal nodes, a fifth of each in use: the largest of the nodes' loads over their
// mean, once the pods use what they asked for.
double burst(const NamedRule& rule, const BurstOptions& options);

}  // namespace rescheduler::replay
