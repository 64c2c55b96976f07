// From what a configuration says about loads to the parts of usage/ that do it.
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

// In their order. Fails on what cannot work whoever answers, such as a CA file that is not there.
Result<std::vector<std::unique_ptr<usage::Source>>> make_sources(const cluster::LoadSettings& settings,
                                                                 kube::Api& api,
                                                                 const kube::LoopServices& services);

}  // namespace rescheduler::scheduler
