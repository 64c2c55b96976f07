// What an error of the API server means for a migration. Pure functions.
#pragma once

#include <optional>

#include "base/error.h"
#include "migration/protocol.h"

namespace rescheduler::migration {

// 404 and 409: another client was faster, or our first request succeeded without an answer. Observe and decide again.
bool is_about_state(const Error& error);
// Nullopt: the error says nothing about the migration.
std::optional<StepRefusal> refusal_in(StepType what, const Error& error);

}  // namespace rescheduler::migration
