// The `extenders` of a configuration file.
#pragma once

#include <vector>

#include "kube/config/yaml_reader.h"
#include "scheduler/config/configuration.h"

namespace rescheduler::scheduler {

std::vector<Extender> read_extenders(kube::YamlReader& top);

}  // namespace rescheduler::scheduler
