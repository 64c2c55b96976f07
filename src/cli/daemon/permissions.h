// What the product must be allowed to do, and why: the start-up self check asks for these, and the shipped role grants
// exactly these.
#pragma once

#include <vector>

#include "kube/discovery/self_check.h"

namespace rescheduler::cli {

std::vector<kube::Permission> needed_permissions();

// Once, when the daemon begins: which of them does it lack? It runs all the same - what needs no missing one works -
// and says which, and how they are granted.
net::Task<void> log_missing_permissions(kube::Api& api, kube::LoopServices services);

}  // namespace rescheduler::cli
