// What is done about a cluster that is not as it should be. Each looks at the draft, moves pods in it and says why.
#pragma once

#include <array>

#include "config/rescheduling_settings.h"
#include "rescheduling/planning/plan_builder.h"

namespace rescheduler::rescheduling {

// Nodes that are hot give load away; where the whole is uneven, it is evened out. By what is measured, or by requests
// where nobody measures.
void balance_loads(PlanBuilder& builder);

// Free CPU where memory has run out, and the other way round, is of no use to anybody: pods are exchanged until what is
// free has the shape that the nodes have. With `free_nodes`, nodes that hardly anybody uses are emptied.
void optimize_resources(PlanBuilder& builder);

// Everything that may move leaves the nodes that are being drained.
void empty_draining_nodes(PlanBuilder& builder);

// Pods that would not be allowed where they are - affinity, taints, anti-affinity, spread - or that stand on top of
// each other, go where they are.
void repair_constraints(PlanBuilder& builder);

// All of them by importance: what must be before what would be nice.
struct StrategyEntry {
  config::Strategy strategy;
  void (*apply)(PlanBuilder& builder);
};
inline constexpr std::array kByImportance = {StrategyEntry{config::Strategy::NodeMaintenance, empty_draining_nodes},
                                             StrategyEntry{config::Strategy::ConstraintRepair, repair_constraints},
                                             StrategyEntry{config::Strategy::LoadBalancing, balance_loads},
                                             StrategyEntry{config::Strategy::ResourceOptimization, optimize_resources}};
static_assert(kByImportance.size() == config::kStrategies.size());

}  // namespace rescheduler::rescheduling
