// Migrations beside a scheduler of ours: what the two have to know of each other.
#pragma once

#include <memory>

#include "config/configuration.h"
#include "migration/migration_controller.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::cli {

// Tells the scheduler where replacements are wanted, and records how busy the scheduler says nodes are. The scheduler
// does not follow yet, and outlives it.
std::unique_ptr<migration::MigrationController> make_migrator(migration::MigrationParts parts,
                                                              const config::Configuration& configuration,
                                                              scheduler::LiveScheduler& scheduler);

}  // namespace rescheduler::cli
