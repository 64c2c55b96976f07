// What keeps an object that is to be deleted. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/kinds/kind.h"

namespace rescheduler::api {
class DeleteOptions;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Do finalizers (a namespace has some of its own in its spec) hold it back?
bool held_back(const Kind& kind, const Message& object);

// Deletions say so in their options, unlike other writes.
bool is_dry_run(const api::DeleteOptions& options);

// How long it may take to end: a pod's grace period, zero for every other kind.
std::int64_t grace_period(const Kind& kind, const Message& object, const api::DeleteOptions& options);

// The finalizer a propagation policy asks for: foregroundDeletion, orphan, or none.
std::optional<std::string> propagation_finalizer(const api::DeleteOptions& options);

}  // namespace rescheduler::sim
