// How the settings of the plugin Podrescheduling are written.
#pragma once

#include "config/catalog.h"

namespace rescheduler::config {

PluginArgsFormat podrescheduling_format();

}  // namespace rescheduler::config
