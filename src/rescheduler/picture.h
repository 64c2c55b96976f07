// How evenly nodes are loaded, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "placement/rescheduler_args.h"
#include "rescheduler/plan.h"
#include "rescheduler/world.h"

namespace rescheduler::rescheduling {

// What can be said about a node's load.
enum class LoadWord : std::uint8_t {
  Known,      // measured, or by requests where that is the basis
  Unknown,    // nodes are judged by what is measured, and this one was not
  OutOfPlay,  // cordoned, not ready, in maintenance: nobody can do anything about its load
};
LoadWord load_word(const World& world, cluster::NodeIndex node);

// Mean, deviation and maximum of one resource over nodes, as shares.
struct Spread {
  double mean = 0;
  double deviation = 0;
  double max = 0;
};
Spread spread_of(const World& world, const std::vector<cluster::NodeIndex>& nodes, std::size_t resource);
// Nodes whose load is known and can be changed.
std::vector<cluster::NodeIndex> nodes_in_play(const World& world);

// Of all nodes; deviations, maxima and the score of those in play.
Picture picture_of(const World& world, const placement::ReschedulerArgs& args);

}  // namespace rescheduler::rescheduling
