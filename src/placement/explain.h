// A decision as data, for people and programs that want to know why.
#pragma once

#include <string>

#include "placement/decide.h"

namespace rescheduler::placement {

std::string to_json(const Decision& decision, const Question& asked, const Framework& framework);

}  // namespace rescheduler::placement
