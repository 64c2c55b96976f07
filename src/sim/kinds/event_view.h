// Core v1 events and events.k8s.io/v1 events are one object under two sets of names.
#pragma once

#include <boost/json/fwd.hpp>

namespace rescheduler::sim {

// Both ways in place, on the JSON of one event; apiVersion is set to the new form's.
void to_core_event(boost::json::object& event);
void from_core_event(boost::json::object& event);

}  // namespace rescheduler::sim
