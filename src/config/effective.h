// A configuration as a file again, nothing left out: what runs, for people to read and for the reader to read back.
#pragma once

#include <string>

#include "config/catalog.h"
#include "config/configuration.h"

namespace rescheduler::config {

// kubescheduler.config.k8s.io/v1. Equal configurations give equal text. A private key of an extender's is not shown.
std::string effective_configuration(const Configuration& configuration, const PluginCatalog& catalog);

}  // namespace rescheduler::config
