// Every table of settings. Meanings, ranges and checks stand in the .cc files, beside the fields.
#pragma once

#include "config/table.h"

namespace rescheduler::config {

// What stands before `profiles` in a file, and what stands behind: of Configuration.
const Table& head_table();
const Table& tail_table();

// What kube-scheduler's plugins take: of the structs in placement/args.h.
const Table& default_preemption_table();
const Table& dynamic_resources_table();
const Table& inter_pod_affinity_table();
const Table& node_affinity_table();
const Table& balanced_allocation_table();
const Table& node_resources_fit_table();
const Table& pod_topology_spread_table();
const Table& volume_binding_table();

// What our own take: of ReschedulerSettings and PodreschedulingSettings.
const Table& rescheduler_table();
const Table& podrescheduling_table();
// Parts of them.
const Table& load_table();
const Table& rescheduling_table();

}  // namespace rescheduler::config
