// Scenario files: strict YAML. All faults of a file are reported at once, each with its position.
// docs/scenarios.md describes the format.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/config/environment.h"
#include "sim/scenario/scenario.h"

namespace rescheduler::sim {

// Does not read the trace in `openb.path`; load_scenario() does.
Result<Scenario> read_scenario(std::string_view text, std::string_view file_name);

// The scenarios that are part of the program; scenarios/ in the source tree.
struct ShippedScenario {
  std::string_view name;
  std::string_view text;
};
std::span<const ShippedScenario> shipped_scenarios();

// A file if the name has a slash or ends in .yaml or .yml, else a shipped scenario. Also reads the data that the
// scenario refers to (the openb trace in the environment's RESCHEDULER_DATA).
Result<Scenario> load_scenario(const std::string& name_or_path, const kube::Environment& environment = {});

}  // namespace rescheduler::sim
