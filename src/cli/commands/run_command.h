// `rescheduler run`, and a bare `rescheduler --config=...`: the daemon.
#pragma once

#include "scheduler/config/run_options.h"

namespace rescheduler::cli {

int run_daemon(const scheduler::RunOptions& options);

}  // namespace rescheduler::cli
