// The `extenders` of a configuration file.
#pragma once

#include <vector>

#include "config/configuration.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::config {

std::vector<Extender> read_extenders(kube::YamlReader& top);

}  // namespace rescheduler::config
