// The `profiles` of a configuration file.
#pragma once

#include <vector>

#include "config/catalog.h"
#include "config/configuration.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::config {

// One entry; `from` reads like an empty map for a profile that only has defaults. Its name is empty if it has none.
Profile read_profile(kube::YamlReader from, const PluginCatalog& catalog);

// Names it if it is alone, and refuses what cannot stand side by side. `places` are where they were read.
void check_profiles(const std::vector<kube::YamlReader>& places, std::vector<Profile>& profiles);

}  // namespace rescheduler::config
