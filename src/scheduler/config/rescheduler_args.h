// How the settings of the Rescheduler plugin are read and printed.
#pragma once

#include "scheduler/config/catalog.h"

namespace rescheduler::scheduler {

PluginArgsFormat rescheduler_format();

}  // namespace rescheduler::scheduler
