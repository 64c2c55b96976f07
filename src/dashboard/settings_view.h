// The effective configuration, a value a row: what it means, and where it comes from. Pure.
#pragma once

#include <string>
#include <string_view>

#include "config/catalog.h"
#include "config/configuration.h"
#include "config/run_options.h"

namespace rescheduler::dashboard {

// `text` is that of options.config. `otherwise` is where a value comes from that is none of the defaults and stands
// neither there nor in a flag: "file" or "demo".
std::string settings_json(const config::Configuration& configuration,
                          const config::PluginCatalog& catalog,
                          const config::RunOptions& options,
                          std::string_view text,
                          std::string_view otherwise);

}  // namespace rescheduler::dashboard
