// The result of a plugin for a pod, or for a pod on a node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::placement {

enum class Code : std::uint8_t {
  Success,
  Unschedulable,                 // not on this node now; preemption may help
  UnschedulableAndUnresolvable,  // not on this node, and preemption does not help
  Error,                         // no result: the attempt ends, and the pod is retried later
  Skip,                          // the plugin has nothing to do for this pod
  Pending,                       // not yet: something outside the scheduler must happen first
  Wait,                          // Permit only: the pod must wait
};

std::string_view to_string(Code code);

inline bool rejected(Code code) {
  return code == Code::Unschedulable || code == Code::UnschedulableAndUnresolvable || code == Code::Pending;
}

// The reasons of a rejection, as counted in "0/5 nodes are available: ...".
using Reasons = std::vector<std::string>;

struct Status {
  Code code = Code::Success;
  Reasons reasons{};
  std::string plugin{};  // set by the framework

  bool ok() const { return code == Code::Success; }
  std::string message() const;  // the reasons, joined by ", "
};

}  // namespace rescheduler::placement
