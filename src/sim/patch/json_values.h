// Functions on JSON values for several kinds of patch.
#pragma once

#include <cstddef>
#include <string_view>

#include <boost/json/fwd.hpp>

namespace rescheduler::sim {

// Equal as data: members in any order, numbers by value in any notation.
bool same_value(const boost::json::value& left, const boost::json::value& right);

// Levels of nesting: 0 for a scalar or an empty array, 1 for [1], 2 for {"a":[1]}.
std::size_t depth_of(const boost::json::value& value);

// The approximate size of its text in bytes.
std::size_t weight_of(const boost::json::value& value);

// Null unless the value is an object that has the member.
const boost::json::value* member_of(const boost::json::value& value, std::string_view name);

}  // namespace rescheduler::sim
