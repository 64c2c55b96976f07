// All tables of settings. Meanings, ranges and checks are in the .cc files, beside the fields.
#pragma once

#include "config/table.h"

namespace rescheduler::config {

// Fields of Configuration before and after `profiles`.
const Table& head_table();
const Table& tail_table();

// Args of the plugins of kube-scheduler: structs of placement/args.h.
const Table& default_preemption_table();
const Table& dynamic_resources_table();
const Table& inter_pod_affinity_table();
const Table& node_affinity_table();
const Table& balanced_allocation_table();
const Table& node_resources_fit_table();
const Table& pod_topology_spread_table();
const Table& volume_binding_table();

// Args of Rescheduler and Podrescheduling: ReschedulerSettings and PodreschedulingSettings.
const Table& rescheduler_table();
const Table& podrescheduling_table();
// Sections of rescheduler_table().
const Table& load_table();
const Table& rescheduling_table();

}  // namespace rescheduler::config
