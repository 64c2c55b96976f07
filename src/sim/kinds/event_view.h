// Core v1 events and events.k8s.io/v1 events are the same objects with different field names.
#pragma once

#include <boost/json/fwd.hpp>

namespace rescheduler::sim {

// Both functions convert the JSON of one event in place and set its apiVersion.
void to_core_event(boost::json::object& event);
void from_core_event(boost::json::object& event);

}  // namespace rescheduler::sim
