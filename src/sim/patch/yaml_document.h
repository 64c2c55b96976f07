// Converts YAML (and JSON) text to a JSON value, for bodies of server-side apply.
#pragma once

#include <string_view>

#include <boost/json/fwd.hpp>

#include "base/error.h"

namespace rescheduler::sim {

// Scalars have the types of YAML 1.2's core schema: "yes" and "on" are strings.
Result<boost::json::value> yaml_document(std::string_view text);

}  // namespace rescheduler::sim
