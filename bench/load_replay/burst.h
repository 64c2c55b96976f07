// Two small cases in which it can be seen by eye what a rule does: a burst of pods that no reading shows yet, and the
// twelve test pods on four nodes that are busier than they look.
#pragma once

#include <array>
#include <string>
#include <vector>

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

struct Spread {
  double deviation = 0;  // over nodes, of shares
  double largest = 0;
};

struct TwelvePods {
  Spread cpu;
  Spread memory;
  std::vector<double> cpu_by_node;
  std::vector<double> memory_by_node;
  double pending = 0;  // pods for which the rule found no node
};

// Afterwards, when they use what they asked for. `seed` decides between nodes that are equally good.
TwelvePods twelve_pods(const NamedRule& rule, std::uint64_t seed);
TwelvePods twelve_pods_in_turn();
TwelvePods mean_of(const std::vector<TwelvePods>& runs);

inline constexpr std::array<const char*, 4> kTwelveNodes{"hot", "warm", "cool", "idle"};

}  // namespace rescheduler::replay
