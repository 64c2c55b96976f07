// The JSON inside a CustomObject. Only .cc files include this header, because it includes Boost.JSON.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/storage_ptr.hpp>
#include <boost/json/value.hpp>

#include "sim/proto/custom.pb.h"

namespace rescheduler::sim {

// Empty if the object has no content. `storage` must outlive the result.
boost::json::object content_of(const CustomObject& object, boost::json::storage_ptr storage);
// Stores the content with sorted keys, so that equal contents have equal texts.
void set_content(CustomObject& object, const boost::json::object& content);

boost::json::value sorted_json(const boost::json::value& value);

}  // namespace rescheduler::sim
