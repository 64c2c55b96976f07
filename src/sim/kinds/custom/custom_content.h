// The JSON inside a CustomObject. Included by .cc files only: it brings Boost.JSON.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {

// Empty when there is none. `storage` must outlive the result.
boost::json::object content_of(const CustomObject& object, boost::json::storage_ptr storage);
// Kept with keys in order, so that equal contents are equal texts.
void set_content(CustomObject& object, const boost::json::object& content);

boost::json::value sorted_json(const boost::json::value& value);

}  // namespace rescheduler::sim
