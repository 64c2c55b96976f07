// Connects the migration controller with our scheduler.
#pragma once

#include <memory>

#include "config/configuration.h"
#include "migration/migration_controller.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::cli {

// Passes the target nodes of replacement pods to the scheduler, and records the node loads that the scheduler reports.
// The scheduler must not follow yet, and must outlive the result.
std::unique_ptr<migration::MigrationController> make_migrator(migration::MigrationParts parts,
                                                              const config::Configuration& configuration,
                                                              scheduler::LiveScheduler& scheduler);

}  // namespace rescheduler::cli
