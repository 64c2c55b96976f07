// Resolves host names to addresses. Internal to net/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "net/task.h"
#include "net/tcp_stream.h"

namespace rescheduler::net {

// A numeric address resolves to itself. The resolver of the system cannot be interrupted: when the deadline passes or
// the job is cancelled, resolve() returns and the later answer is ignored.
Task<Result<std::vector<Endpoint>>> resolve(std::string host, std::uint16_t port, SteadyTime deadline);

}  // namespace rescheduler::net
