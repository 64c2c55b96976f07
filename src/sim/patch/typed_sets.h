// Which fields an object has, and in which two objects differ, seen through the object's type.
#pragma once

#include <boost/json/fwd.hpp>

#include "sim/patch/field_set.h"
#include "sim/patch/place.h"

namespace rescheduler::sim {

// The fields that somebody who wrote this object would own.
FieldSet fields_of(const boost::json::value& object, const Place& place);

struct Differences {
  FieldSet removed;
  FieldSet modified;
  FieldSet added;
};
Differences differences(const boost::json::value& before, const boost::json::value& after, const Place& place);

// Fields of structures are not recorded themselves when something below them is; this adds them.
FieldSet with_structures(const FieldSet& set, const Place& place);

// What a list that is merged by keys must not hold: items without a key, and two items of the same one. The first
// such fault below this place, as ".spec.containers: duplicate entries for key [name="web"]"; empty: none.
std::string list_fault(const boost::json::value& value, const Place& place);

}  // namespace rescheduler::sim
