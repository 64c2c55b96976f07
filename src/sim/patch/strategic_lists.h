// Lists in a strategic merge: finding items by their merge key, and the order of what comes out.
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

// Fails unless the lists hold only scalars, or only objects: then `objects` is set.
tl::expected<void, StrategicFault> check_alike(const boost::json::array& original,
                                               const boost::json::array& patch,
                                               bool& objects);
tl::expected<void, StrategicFault> check_keys(const boost::json::array& list, std::string_view merge_key);

// Items of `merged` that are in `wanted_order` come in that order, the others in the order of `live_order`; an item
// only the live list has comes before one of the wanted if the live list had it so.
boost::json::array ordered(boost::json::array merged,
                           const boost::json::array& wanted_order,
                           const boost::json::array& live_order,
                           std::string_view merge_key);

// $setElementOrder must name what the patch changes, in the same order.
tl::expected<void, StrategicFault> check_order(const boost::json::array& patch,
                                               const boost::json::array& order,
                                               std::string_view merge_key);

}  // namespace rescheduler::sim
