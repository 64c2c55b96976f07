// Where a list that came in pages goes on: the version it began at and the last key it showed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/status_error.h"

namespace rescheduler::sim {

struct ContinueToken {
  std::uint64_t version = 0;
  std::string after;  // "ns/name"

  std::string encode() const;
  static ApiResult<ContinueToken> decode(std::string_view text);
};

}  // namespace rescheduler::sim
