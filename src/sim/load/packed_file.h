// Reads a whole text file and decompresses it if it is xz-compressed.
#pragma once

#include <cstddef>
#include <string>

#include "base/error.h"

namespace rescheduler::sim {

// `most_bytes` limits the decompressed size.
Result<std::string> read_packed_file(const std::string& path, std::size_t most_bytes);

}  // namespace rescheduler::sim
