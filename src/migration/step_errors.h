// What a refusal by the API server means for a move. Pure.
#pragma once

#include <optional>

#include "base/error.h"
#include "migration/protocol.h"

namespace rescheduler::migration {

// 404 and 409: somebody was faster, or our own first try was heard: look again, decide again.
bool is_about_state(const Error& error);
// Nothing: it says nothing about the move.
std::optional<StepRefusal> refusal_in(StepType what, const Error& error);

}  // namespace rescheduler::migration
