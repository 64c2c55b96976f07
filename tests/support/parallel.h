// Many concurrent calls from one event loop: the load that a few dozen connections can produce.
#pragma once

#include <functional>

#include "net/task.h"
#include "support/live_api.h"

namespace rescheduler::test {

// Runs piece 0, 1, 2, ... with `workers` of them concurrently, until `piece` returns false or an error. Returns the
// number of pieces.
using Piece = std::function<net::Task<Result<bool>>(std::uint64_t number)>;
Result<std::uint64_t> in_parallel(LiveApi& live, int workers, Piece piece);

}  // namespace rescheduler::test
