// Names to addresses. Internal to net/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "net/task.h"
#include "net/tcp_stream.h"

namespace rescheduler::net {

// A numeric address is its own answer. The system's resolver cannot be interrupted: when the deadline passes or
// the job is cancelled, its answer is left to arrive unheard.
Task<Result<std::vector<Endpoint>>> resolve(std::string host, std::uint16_t port, SteadyTime deadline);

}  // namespace rescheduler::net
