// The nodes a pod's forerunners failed on, as kse-rescheduler writes them: a JSON array of names in an annotation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rescheduler::placement {

inline constexpr std::string_view kScheduledHosts = "kse.com/scheduled-hosts";
// Said by us of a pod that got one of them for want of another.
inline constexpr std::string_view kRevisitedNode = "rescheduler.io/revisited-node";

// The longest ago first. null, which is how Go writes an empty list, is one; whatever stands twice counts once, where
// it stands last.
Result<std::vector<std::string>> read_visited(std::string_view annotation);
std::string write_visited(const std::vector<std::string>& nodes);

}  // namespace rescheduler::placement
