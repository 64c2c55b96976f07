// What an error of the API server means for a migration. Pure functions.
#pragma once

#include <optional>

#include "base/error.h"
#include "migration/protocol.h"

namespace rescheduler::migration {

// NotFound, Conflict, AlreadyExists: another client was faster. Timeout, Unavailable: the request may have succeeded
// without an answer. In all cases the caller observes and decides again.
bool is_about_state(const Error& error);
// Nullopt: the error says nothing about the migration.
std::optional<StepRefusal> refusal_in(StepType what, const Error& error);

}  // namespace rescheduler::migration
