// Many calls at once from one event loop: as hard as a few dozen connections can push.
#pragma once

#include <functional>

#include "net/task.h"
#include "support/live_api.h"

namespace rescheduler::test {

// Does piece 0, 1, 2, ... with `workers` of them under way at any time, until `piece` answers false; the first error
// ends it. Returns how many pieces were done.
using Piece = std::function<net::Task<Result<bool>>(std::uint64_t number)>;
Result<std::uint64_t> in_parallel(LiveApi& live, int workers, Piece piece);

}  // namespace rescheduler::test
