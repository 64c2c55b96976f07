// Moves carried out beside a scheduler of ours: what the two have to know of each other.
#pragma once

#include <memory>

#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/leader_fence.h"
#include "migration/migration_controller.h"
#include "scheduler/config/configuration.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::cli {

// Steers what `live` places; `live` outlives it.
std::unique_ptr<migration::MigrationController> make_mover(kube::Api& api,
                                                           kube::Api* events,
                                                           const scheduler::Configuration& configuration,
                                                           const std::string& host,
                                                           std::shared_ptr<const kube::LeaderFence> fence,
                                                           scheduler::LiveScheduler& live,
                                                           kube::LoopServices services);

// Leads once the cluster has shown its Migrations; says so when it does not know the word.
net::Task<void> lead_when_synced(migration::MigrationController& mover, net::Timers& timers);

}  // namespace rescheduler::cli
