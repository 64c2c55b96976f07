// The strategies. Each strategy reads the PlanBuilder, moves pods in it, and records the reasons.
#pragma once

#include <array>

#include "config/rescheduling_settings.h"
#include "rescheduling/planning/plan_builder.h"

namespace rescheduler::rescheduling {

// Moves load away from hot nodes, and evens out the load of an uneven cluster. Uses measured load, or requests if
// nothing is measured.
void balance_loads(PlanBuilder& builder);

// Free CPU on a node without free memory cannot be used, and the reverse. Swaps pods to reduce such stranded resources.
// With `free_nodes`, empties underused nodes.
void optimize_resources(PlanBuilder& builder);

// Moves all movable pods away from the nodes that are drained.
void empty_draining_nodes(PlanBuilder& builder);

// Moves pods that violate affinity, taints, anti-affinity or spread on their node, and duplicates on one node, to nodes
// that accept them.
void repair_constraints(PlanBuilder& builder);

// All strategies, most important first: necessary moves before improvements.
inline constexpr std::array kByImportance = {StrategyEntry{config::Strategy::NodeMaintenance, empty_draining_nodes},
                                             StrategyEntry{config::Strategy::ConstraintRepair, repair_constraints},
                                             StrategyEntry{config::Strategy::LoadBalancing, balance_loads},
                                             StrategyEntry{config::Strategy::ResourceOptimization, optimize_resources}};
static_assert(kByImportance.size() == config::kStrategies.size());

}  // namespace rescheduler::rescheduling
