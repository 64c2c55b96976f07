// YAML as the JSON that the API server reads, typed by YAML 1.2's core schema as kubectl does it: "yes" and "on" are
// texts. A number that JSON has no word for (.inf, or beyond 64 bits and a double) stays a text: whoever wanted a
// number refuses it.
#pragma once

#include <string>

#include <boost/json/fwd.hpp>

#include "kube/config/yaml.h"

namespace rescheduler::kube {

boost::json::value yaml_value(const YamlNode& node);
std::string yaml_to_json(const YamlNode& node);

}  // namespace rescheduler::kube
