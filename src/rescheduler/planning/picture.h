// How evenly nodes are loaded, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/balance.h"
#include "config/rescheduler_settings.h"
#include "rescheduler/planning/plan.h"
#include "rescheduler/planning/world.h"

namespace rescheduler::rescheduling {

// What can be said about a node's load.
enum class LoadWord : std::uint8_t {
  Known,      // measured, or by requests where that is the basis
  Unknown,    // nodes are judged by what is measured, and this one was not
  OutOfPlay,  // cordoned, not ready, in maintenance: nobody can do anything about its load
};
LoadWord load_word(const World& world, cluster::NodeIndex node);

// Of the nodes' predicted load of one resource; of no nodes all is 0.
cluster::LoadSpread spread_of(const World& world, const std::vector<cluster::NodeIndex>& nodes, std::size_t resource);
// Nodes whose load is known and can be changed.
std::vector<cluster::NodeIndex> nodes_in_play(const World& world);

// Of all nodes; the balance of those in play.
Picture picture_of(const World& world, const config::ReschedulerSettings& args);

}  // namespace rescheduler::rescheduling
