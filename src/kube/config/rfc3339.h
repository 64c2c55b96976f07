// RFC 3339 times, as expirationTimestamp has them.
#pragma once

#include <optional>
#include <string_view>

#include "base/clock.h"

namespace rescheduler::kube {

std::optional<WallTime> parse_rfc3339(std::string_view text);

}  // namespace rescheduler::kube
