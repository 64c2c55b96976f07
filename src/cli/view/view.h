// The view of the demo: a pure function of the state and of the terminal's capabilities.
#pragma once

#include <string>
#include <vector>

#include "cli/view/text.h"
#include "cli/view/view_state.h"

namespace rescheduler::cli {

// At most style.height lines of at most style.width columns. One line per node if they fit. Otherwise a map with a cell
// for each node, or for each few nodes, and lines for the hottest nodes.
std::vector<std::string> render(const ViewState& state, const ViewStyle& style);

// For output that is not a terminal: the state in one line.
std::string status_line(const ViewState& state);

// Printed at the end: the first and the last state.
std::vector<std::string> summary(const ViewState& first, const ViewState& last);

}  // namespace rescheduler::cli
