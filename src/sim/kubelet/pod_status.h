// Derives the phase and conditions of a pod from its containers. Pure.
#pragma once

#include <string_view>

#include "base/clock.h"

namespace rescheduler::api {
class Pod;
}

namespace rescheduler::sim {

// For an admitted pod. `sandbox`: the pod has a sandbox. `terminal`: no container will run again.
void report_pod(api::Pod& pod, bool sandbox, bool terminal, WallTime now);
// For a pod that failed before its containers ran, or independently of them.
void report_failed(api::Pod& pod, std::string_view reason, std::string_view message, WallTime now);

bool is_sidecar(const api::Pod& pod, int init_container);

}  // namespace rescheduler::sim
