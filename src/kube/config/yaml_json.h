// Converts YAML to the JSON that the API server reads, with the types of the YAML 1.2 core schema, as kubectl does:
// "yes" and "on" are strings. A number that JSON cannot represent (.inf, or beyond 64 bits and a double) stays a
// string. A decoder that expects a number then rejects it.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

#include "kube/config/yaml.h"

namespace rescheduler::kube {

boost::json::value yaml_value(const YamlNode& node);
std::string yaml_to_json(const YamlNode& node);

}  // namespace rescheduler::kube
