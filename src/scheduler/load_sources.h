// Makes the load sources and the LoadTracker settings of usage/ from the load configuration.
#pragma once

#include <memory>
#include <vector>

#include "base/error.h"
#include "cluster/load_settings.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "usage/load_tracker.h"
#include "usage/source.h"

namespace rescheduler::scheduler {

usage::LoadTrackerSettings load_tracker_settings(const cluster::LoadSettings& settings);

// In the configured order. Fails on errors that are independent of the server, such as a missing CA file.
Result<std::vector<std::unique_ptr<usage::Source>>> make_sources(const cluster::LoadSettings& settings,
                                                                 kube::Api& api,
                                                                 const kube::LoopServices& services);

}  // namespace rescheduler::scheduler
