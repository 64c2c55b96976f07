// Decides whether the client repeats a failed call. Pure.
#pragma once

#include "base/error.h"
#include "kube/client/api.h"

namespace rescheduler::kube {

// A repeat is allowed when it can neither apply a change twice nor hide an answer:
//   - the server rejected the request unprocessed (429; 503 with Retry-After): any verb;
//   - the request failed or got no answer: only verbs that may be repeated (get, list, watch, update, delete).
// If an update succeeded but its answer was lost, the repeat gets a Conflict, which callers handle anyway.
bool may_repeat(Verb verb, Repeat repeat, const Error& error);

}  // namespace rescheduler::kube
