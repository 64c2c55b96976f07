// How the settings of the plugin Podrescheduling are written.
#pragma once

#include "scheduler/config/catalog.h"

namespace rescheduler::scheduler {

PluginArgsFormat podrescheduling_format();

}  // namespace rescheduler::scheduler
