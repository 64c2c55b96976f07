// What a plugin says of a pod, or of a pod on a node.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rescheduler::placement {

enum class Code : std::uint8_t {
  Success,
  Unschedulable,                 // not here as things are; making room may help
  UnschedulableAndUnresolvable,  // not here, and taking other pods away would not help
  Error,                         // could not be found out: the attempt ends, the pod is tried again later
  Skip,                          // this pod is no business of this plugin
  Pending,                       // not yet: something outside has to happen first
  Wait,                          // Permit only: hold it back
};

std::string_view to_string(Code code);

inline bool rejected(Code code) {
  return code == Code::Unschedulable || code == Code::UnschedulableAndUnresolvable || code == Code::Pending;
}

// The sentences behind a rejection, as they are counted in "0/5 nodes are available: ...".
using Reasons = std::vector<std::string>;

struct Status {
  Code code = Code::Success;
  Reasons reasons{};
  std::string plugin{};  // who said it; filled in by the framework

  bool ok() const { return code == Code::Success; }
  std::string message() const;  // the reasons, joined by ", "
};

}  // namespace rescheduler::placement
