// How evenly nodes are loaded, in numbers.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/balance.h"
#include "config/rescheduler_settings.h"
#include "rescheduling/planning/plan.h"
#include "rescheduling/planning/snapshot.h"

namespace rescheduler::rescheduling {

// What can be said about a node's load.
enum class LoadState : std::uint8_t {
  Known,      // measured, or by requests where that is the basis
  Unknown,    // nodes are judged by what is measured, and this one was not
  OutOfPlay,  // cordoned, not ready, in maintenance: nobody can do anything about its load
};
LoadState load_state_of(const Snapshot& snapshot, cluster::NodeIndex node);

// Of the nodes' predicted load of one resource; of no nodes all is 0.
cluster::LoadSpread spread_of(const Snapshot& snapshot,
                              const std::vector<cluster::NodeIndex>& nodes,
                              std::size_t resource);
// Nodes whose load is known and can be changed.
std::vector<cluster::NodeIndex> nodes_in_play(const Snapshot& snapshot);

// Of all nodes; the balance of those in play.
BalanceReport balance_report_of(const Snapshot& snapshot, const config::ReschedulerSettings& args);

}  // namespace rescheduler::rescheduling
