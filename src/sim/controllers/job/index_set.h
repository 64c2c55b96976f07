// Completed indexes of an Indexed Job, as its status has them: "0-2,5".
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace rescheduler::sim {

std::set<int> parse_indexes(std::string_view text);  // what cannot be read is skipped
std::string format_indexes(const std::set<int>& indexes);

}  // namespace rescheduler::sim
