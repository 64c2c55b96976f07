// The effective configuration, one value per row, with its meaning and its origin. Pure: no I/O.
#pragma once

#include <string>
#include <string_view>

#include "config/catalog.h"
#include "config/configuration.h"
#include "config/run_options.h"

namespace rescheduler::dashboard {

// `text` is the content of options.config. `otherwise` is the origin of a value that is not a default and is neither in
// `text` nor set by a flag: "file" or "demo".
std::string settings_json(const config::Configuration& configuration,
                          const config::PluginCatalog& catalog,
                          const config::RunOptions& options,
                          std::string_view text,
                          std::string_view otherwise);

}  // namespace rescheduler::dashboard
