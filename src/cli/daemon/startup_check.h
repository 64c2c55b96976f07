// Once, when the daemon begins: which permissions does it lack? It runs all the same - what needs no missing one works
// - and says which, and how they are granted.
#pragma once

#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "net/task.h"

namespace rescheduler::cli {

net::Task<void> log_missing_permissions(kube::Api& api, kube::LoopServices services);

}  // namespace rescheduler::cli
