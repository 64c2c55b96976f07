// The fields of an object, and the fields in which two objects differ, according to the object's type.
#pragma once

#include <boost/json/fwd.hpp>

#include "sim/patch/field_set.h"
#include "sim/patch/place.h"

namespace rescheduler::sim {

// The fields that a manager owns after writing this object.
FieldSet fields_of(const boost::json::value& object, const Place& place);

struct Differences {
  FieldSet removed;
  FieldSet modified;
  FieldSet added;
};
Differences differences(const boost::json::value& before, const boost::json::value& after, const Place& place);

// A structure is not in the set if a field below it is; this function adds the structures.
FieldSet with_structures(const FieldSet& set, const Place& place);

// A list that is merged by keys must not hold items without a key or two items with the same key. Returns the first
// such fault below this place, for example ".spec.containers: duplicate entries for key [name="web"]"; empty: none.
std::string list_fault(const boost::json::value& value, const Place& place);

}  // namespace rescheduler::sim
