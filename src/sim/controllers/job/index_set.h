// Completed indexes of an Indexed Job, in the format of its status: "0-2,5".
#pragma once

#include <set>
#include <string>
#include <string_view>

namespace rescheduler::sim {

std::set<int> parse_indexes(std::string_view text);  // skips invalid parts
std::string format_indexes(const std::set<int>& indexes);

}  // namespace rescheduler::sim
