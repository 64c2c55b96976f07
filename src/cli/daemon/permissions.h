// What the product must be allowed to do, and why: the start-up self check asks for these, and the shipped role grants
// exactly these.
#pragma once

#include <vector>

#include "kube/discovery/self_check.h"

namespace rescheduler::cli {

std::vector<kube::Permission> needed_permissions();

}  // namespace rescheduler::cli
