// Whether a failed call is repeated by the client itself. Pure.
#pragma once

#include "base/error.h"
#include "kube/client/api.h"

namespace rescheduler::kube {

// A second try is right when it can neither double an effect nor hide an answer:
//   - the server refused to look at it (429; 503 with Retry-After): any verb;
//   - it failed or was never answered: only verbs that may be repeated (get, list, watch, update, delete).
// An update repeated after a lost answer meets its own change as a Conflict, which the caller handles anyway.
bool may_repeat(Verb verb, Repeat repeat, const Error& error);

}  // namespace rescheduler::kube
