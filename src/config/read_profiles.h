// The `profiles` of a configuration file.
#pragma once

#include <vector>

#include "config/catalog.h"
#include "config/configuration.h"
#include "kube/config/yaml_reader.h"

namespace rescheduler::config {

// Reads one entry. If `from` is empty, the profile has all defaults. The name is empty if the entry has none.
Profile read_profile(kube::YamlReader from, const PluginCatalog& catalog);

// Gives a single profile its default name, and reports conflicts between profiles. `places` are their readers.
void check_profiles(const std::vector<kube::YamlReader>& places, std::vector<Profile>& profiles);

}  // namespace rescheduler::config
