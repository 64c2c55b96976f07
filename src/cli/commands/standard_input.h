// Standard input of a command.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace rescheduler::cli {

Result<std::string> read_standard_input(std::size_t most_bytes);

}  // namespace rescheduler::cli
