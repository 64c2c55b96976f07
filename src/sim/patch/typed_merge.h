// Merges objects and removes fields as server-side apply does, according to the object's type.
#pragma once

#include <boost/json/fwd.hpp>

#include "sim/patch/field_set.h"
#include "sim/patch/place.h"

namespace rescheduler::sim {

// Values of `config` win; fields that are not in `config` stay. Lists with keys are merged by item. The order is that
// of `config`, with the items that only `live` has in between.
boost::json::value merged(const boost::json::value& live, const boost::json::value& config, const Place& place);

// The object without the fields of the set. Structures, maps and lists that become empty stay, unless they are in the
// set themselves.
boost::json::value without_fields(const boost::json::value& object, const FieldSet& gone, const Place& place);

}  // namespace rescheduler::sim
