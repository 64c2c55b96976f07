// `rescheduler run`, and `rescheduler --config=...` without a command: the daemon.
#pragma once

#include "config/run_options.h"

namespace rescheduler::cli {

int run_daemon(const config::RunOptions& options);

}  // namespace rescheduler::cli
