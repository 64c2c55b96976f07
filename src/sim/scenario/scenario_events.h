// The timed events of a scenario file.
#pragma once

#include "kube/config/yaml_reader.h"
#include "sim/scenario/scenario.h"

namespace rescheduler::sim {

// Reads `events` into a scenario whose nodes and workloads are known already, in order of time.
void read_events(kube::YamlReader& top, Scenario& scenario);

}  // namespace rescheduler::sim
