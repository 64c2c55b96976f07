// The nodes on which earlier pods of the same slot failed, in the format of kse-rescheduler: a JSON array of node names
// in an annotation.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace rescheduler::placement {

inline constexpr std::string_view kScheduledHosts = "kse.com/scheduled-hosts";
// Set by the scheduler on a pod that got a visited node because no other node was feasible.
inline constexpr std::string_view kRevisitedNode = "rescheduler.io/revisited-node";

// The oldest visit first. `null`, Go's empty list, gives an empty list. If a name occurs twice, only its last place
// counts.
Result<std::vector<std::string>> read_visited(std::string_view annotation);
std::string write_visited(const std::vector<std::string>& nodes);

}  // namespace rescheduler::placement
