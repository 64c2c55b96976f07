// The timed events of a scenario file.
#pragma once

#include "kube/config/yaml_reader.h"
#include "sim/scenario/scenario.h"

namespace rescheduler::sim {

// Reads `events`, sorted by time. The nodes and workloads of the scenario must be read before.
void read_events(kube::YamlReader& top, Scenario& scenario);

}  // namespace rescheduler::sim
