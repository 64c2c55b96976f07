// How the settings of the Rescheduler plugin are read and printed.
#pragma once

#include "config/catalog.h"

namespace rescheduler::config {

PluginArgsFormat rescheduler_format();

}  // namespace rescheduler::config
