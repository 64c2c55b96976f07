// Lists in a strategic merge: finds items by their merge key and orders the result.
#pragma once

#include <cstddef>
#include <string_view>

#include <boost/json/array.hpp>
#include <tl/expected.hpp>

#include "sim/patch/strategic_merge.h"

namespace rescheduler::sim {

inline constexpr std::size_t kNoItem = static_cast<std::size_t>(-1);

// An empty merge key compares the items themselves.
std::size_t find_item(const boost::json::array& list, const boost::json::value& item, std::string_view merge_key);

// Fails unless the lists hold only scalars or only objects. Sets `objects` for the latter.
tl::expected<void, StrategicFault> check_alike(const boost::json::array& original,
                                               const boost::json::array& patch,
                                               bool& objects);
tl::expected<void, StrategicFault> check_keys(const boost::json::array& list, std::string_view merge_key);

// Items of `merged` that are in `wanted_order` come in that order, the others in the order of `live_order`. An item
// that only the live list has keeps its position before a wanted item.
boost::json::array ordered(boost::json::array merged,
                           const boost::json::array& wanted_order,
                           const boost::json::array& live_order,
                           std::string_view merge_key);

// $setElementOrder must contain the items that the patch changes, in the same order.
tl::expected<void, StrategicFault> check_order(const boost::json::array& patch,
                                               const boost::json::array& order,
                                               std::string_view merge_key);

}  // namespace rescheduler::sim
