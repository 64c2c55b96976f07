// Scenario files: strict YAML. Whatever is wrong with a file is told at once, each fault with its place.
// docs/scenarios.md describes the format.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "kube/config/environment.h"
#include "sim/scenario/scenario.h"

namespace rescheduler::sim {

// Does not follow `openb.path`: see load_scenario().
Result<Scenario> read_scenario(std::string_view text, std::string_view file_name);

// The scenarios that come with the program; scenarios/ of the source tree.
struct ShippedScenario {
  std::string_view name;
  std::string_view text;
};
std::span<const ShippedScenario> shipped_scenarios();

// A file if the name holds a slash or ends in .yaml or .yml, else a shipped scenario. What the scenario takes from
// elsewhere (the openb trace, from where the environment's RESCHEDULER_DATA says) is read too.
Result<Scenario> load_scenario(const std::string& name_or_path, const kube::Environment& environment = {});

}  // namespace rescheduler::sim
