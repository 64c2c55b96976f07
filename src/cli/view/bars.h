// Bars and heat cells that show shares of a capacity.
#pragma once

#include <cstddef>
#include <string>

#include "cli/view/text.h"
#include "cli/view/view_state.h"

namespace rescheduler::cli {

// A bar of `columns` columns: filled up to the usage, with a mark at the requests.
std::string use_bar(const Use& use, std::size_t columns, const ViewStyle& style);
std::string score_bar(double score, std::size_t columns, const ViewStyle& style);  // 0..100, more is better
std::string heat_cell(double share, const ViewStyle& style);                       // one column

}  // namespace rescheduler::cli
