// Formats a JSON value as YAML, for users.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

namespace rescheduler::cli {

std::string yaml_of(const boost::json::value& value);

}  // namespace rescheduler::cli
