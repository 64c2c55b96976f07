// A scheduling decision as a table for users.
#pragma once

#include <string>

#include "placement/decide.h"

namespace rescheduler::cli {

std::string explanation_table(const placement::Decision& decision,
                              const placement::PodContext& context,
                              const placement::Framework& framework);

}  // namespace rescheduler::cli
