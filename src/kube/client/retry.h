// Decides whether the client repeats a failed call. Pure.
#pragma once

#include "base/error.h"
#include "kube/client/api.h"

namespace rescheduler::kube {

// Repeat::Never forbids every repeat. Otherwise a repeat is allowed when it cannot apply a change twice:
//   - the server rejected the request unprocessed (429; 503 with Retry-After): any verb;
//   - another temporary failure, or no answer: all verbs except create and patch.
// If an update succeeded but its answer was lost, the repeat gets a Conflict, which callers handle anyway.
bool may_repeat(Verb verb, Repeat repeat, const Error& error);

}  // namespace rescheduler::kube
