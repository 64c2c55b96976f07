// The effective configuration, a value a row, and where each comes from. Pure.
#pragma once

#include <string>

#include "scheduler/config/catalog.h"
#include "scheduler/config/configuration.h"

namespace rescheduler::dashboard {

// JSON of /api/v1/settings. `file`: where the configuration was read from, empty: from nowhere. `flags`: some flags
// that beat the file were given. Credentials are not in it: effective_configuration() does not print them.
std::string settings_json(const scheduler::Configuration& configuration,
                          const scheduler::PluginCatalog& catalog,
                          const std::string& file,
                          bool flags);

}  // namespace rescheduler::dashboard
