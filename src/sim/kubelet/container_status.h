// Writes the states of a container to its ContainerStatus. Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/clock.h"

namespace rescheduler::api {
class Container;
class ContainerStatus;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// A container that has not run yet.
void show_created(api::ContainerStatus& status, const api::Container& container, std::string_view reason);
// Waiting. A terminated state becomes the last state.
void show_waiting(api::ContainerStatus& status, std::string_view reason, std::string_view message);
// Running. `owner` (the pod's uid) and the restart count make the container id.
void show_running(api::ContainerStatus& status, std::string_view owner, bool again, WallTime now);
void show_ended(api::ContainerStatus& status, int exit_code, std::string_view reason, WallTime now);

}  // namespace rescheduler::sim
