// Merging and cutting objects as server-side apply does, seen through the object's type.
#pragma once

#include <boost/json/fwd.hpp>

#include "sim/patch/field_set.h"
#include "sim/patch/place.h"

namespace rescheduler::sim {

// What `config` says wins; what it does not mention stays. Lists with keys are merged item by item, in the order of
// `config` with the items only `live` has in between.
boost::json::value merged(const boost::json::value& live, const boost::json::value& config, const Place& place);

// The object without the fields of the set. Structures, maps and lists that lose everything stay, empty, unless they
// are in the set themselves.
boost::json::value without_fields(const boost::json::value& object, const FieldSet& gone, const Place& place);

}  // namespace rescheduler::sim
