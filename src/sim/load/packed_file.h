// Reads a text file whole, unpacking it if it is packed with xz.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace rescheduler::sim {

// `most_bytes` bounds what it may unpack to.
Result<std::string> read_packed_file(const std::string& path, std::size_t most_bytes);

}  // namespace rescheduler::sim
