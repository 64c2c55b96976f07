// The continue token of a paged list: the version of its first page and the last key that was returned.
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
