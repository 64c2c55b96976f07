// The permissions that rescheduler needs, and why. The daemon checks them at its start, and the shipped roles grant
// exactly these permissions.
#pragma once

#include <vector>

#include "kube/discovery/self_check.h"

namespace rescheduler::cli {

std::vector<kube::Permission> needed_permissions();

// Called once at the start of the daemon: logs the missing permissions and how to grant them. The daemon runs
// nevertheless; functions that need no missing permission work.
net::Task<void> log_missing_permissions(kube::Api& api, kube::LoopServices services);

}  // namespace rescheduler::cli
