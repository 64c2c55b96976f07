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

// What is known about the load of a node.
enum class LoadState : std::uint8_t {
  Known,     // measured, or computed from requests if requests are the basis
  Unknown,   // the basis is measured load, and this node has no sample
  Excluded,  // cordoned, not ready, shutting down or in maintenance: no target, and not part of the balance
};
LoadState load_state_of(const Snapshot& snapshot, cluster::NodeIndex node);

// Spread of the predicted load of one resource over the nodes. All values are 0 if there are no nodes.
cluster::LoadSpread spread_of(const Snapshot& snapshot,
                              const std::vector<cluster::NodeIndex>& nodes,
                              std::size_t resource);
// Nodes whose load is known and can be changed.
std::vector<cluster::NodeIndex> balanceable_nodes(const Snapshot& snapshot);

// Lists all nodes. The balance covers only the nodes of balanceable_nodes().
BalanceReport balance_report_of(const Snapshot& snapshot, const config::ReschedulerSettings& args);

}  // namespace rescheduler::rescheduling
