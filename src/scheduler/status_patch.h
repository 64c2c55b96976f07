// Patches of a pod's status: the reason why it is unschedulable, and the nominated node. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::scheduler {

struct PodReport {
  std::string reason{};
  std::string message{};                        // empty: the condition is unchanged
  std::optional<std::string> nominated_node{};  // nullopt: unchanged
};

// A strategic merge patch of the status; nullopt if it would change only timestamps.
std::optional<std::string> status_patch(const api::Pod& pod, const PodReport& report, WallTime now);

// The condition of a preempted pod. The API server rejects the patch for another pod with the same name.
std::string victim_patch(std::string_view uid, std::string_view scheduler_name, WallTime now);

}  // namespace rescheduler::scheduler
