// What is written to a pod's status: why it has no node, and which it is promised. Pure: text out of values.
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
  std::string message{};                        // empty: the condition stays as it is
  std::optional<std::string> nominated_node{};  // nothing: as it is
};

// A strategic merge patch of the status; nothing when it would change nothing but times.
std::optional<std::string> status_patch(const api::Pod& pod, const PodReport& report, WallTime now);

// The condition of a pod that has to go for a more important one; refused for another pod of that name.
std::string victim_patch(std::string_view uid, std::string_view scheduler_name, WallTime now);

}  // namespace rescheduler::scheduler
