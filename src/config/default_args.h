// How the settings of the default plugins are written, checked as kube-scheduler checks them.
#pragma once

#include "config/catalog.h"

namespace rescheduler::config {

PluginArgsFormat default_preemption_format();
PluginArgsFormat inter_pod_affinity_format();
PluginArgsFormat node_resources_fit_format();
PluginArgsFormat balanced_allocation_format();
PluginArgsFormat pod_topology_spread_format();
PluginArgsFormat volume_binding_format();
PluginArgsFormat node_affinity_format();
PluginArgsFormat dynamic_resources_format();

}  // namespace rescheduler::config
