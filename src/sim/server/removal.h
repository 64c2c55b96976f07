// What delays the deletion of an object. Pure.
#pragma once

#include <cstdint>
#include <optional>

#include "sim/kinds/kind.h"

namespace rescheduler::api {
class DeleteOptions;
}  // namespace rescheduler::api

namespace rescheduler::sim {

// Whether finalizers delay the deletion. A namespace also has finalizers in its spec.
bool has_finalizers(const Kind& kind, const Message& object);

// A deletion has dryRun in its options, unlike other writes.
bool is_dry_run(const api::DeleteOptions& options);

// The grace period of a pod; zero for every other kind.
std::int64_t grace_period(const Kind& kind, const Message& object, const api::DeleteOptions& options);

// The finalizer of the propagation policy: foregroundDeletion, orphan, or none.
std::optional<std::string> propagation_finalizer(const api::DeleteOptions& options);

}  // namespace rescheduler::sim
