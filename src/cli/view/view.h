// The demo's view: a pure function of what there is to see and of what the terminal can show.
#pragma once

#include <string>
#include <vector>

#include "cli/view/text.h"
#include "cli/view/view_state.h"

namespace rescheduler::cli {

// At most style.height lines of at most style.width columns. One line per node while they fit; else a map with a cell
// for every node, or for every few, and lines for the hottest ones.
std::vector<std::string> render(const ViewState& state, const ViewStyle& style);

// For outputs that are no terminal: one line that says where things stand.
std::string status_line(const ViewState& state);

// What is said at the end: how it began and how it stands.
std::vector<std::string> summary(const ViewState& first, const ViewState& last);

}  // namespace rescheduler::cli
