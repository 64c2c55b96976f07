// The permissions that rescheduler needs, and why. The daemon checks them, and the shipped roles grant exactly these
// permissions.
#pragma once

#include <vector>

#include "kube/discovery/self_check.h"

namespace rescheduler::cli {

std::vector<kube::Permission> needed_permissions();

}  // namespace rescheduler::cli
