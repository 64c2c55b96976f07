// A pod's phase and conditions, as they follow from its containers. Pure.
#pragma once

#include <string_view>

#include "base/clock.h"

namespace rescheduler::api {
class Pod;
}

namespace rescheduler::sim {

// While its sandbox stands; `terminal`: nothing of it will run again.
void report_pod(api::Pod& pod, bool sandbox, bool terminal, WallTime now);
// Failed before or in spite of its containers.
void report_failed(api::Pod& pod, std::string_view reason, std::string_view message, WallTime now);

bool is_sidecar(const api::Pod& pod, int init_container);

}  // namespace rescheduler::sim
