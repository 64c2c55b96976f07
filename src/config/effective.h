// Prints the effective configuration with all defaults, as a file that read_configuration() accepts.
#pragma once

#include <string>

#include "config/catalog.h"
#include "config/configuration.h"

namespace rescheduler::config {

// kubescheduler.config.k8s.io/v1. Equal configurations give equal text. Private keys of extenders are replaced.
std::string effective_configuration(const Configuration& configuration, const PluginCatalog& catalog);

}  // namespace rescheduler::config
