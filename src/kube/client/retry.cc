#include "kube/client/retry.h"

namespace rescheduler::kube {
namespace {

bool is_idempotent(Verb verb) { return verb != Verb::Create && verb != Verb::Patch; }

}  // namespace

bool may_repeat(Verb verb, Repeat repeat, const Error& error) {
  if (repeat == Repeat::Never || !is_retriable(error)) return false;
  const bool rejected = error.code == Errc::Throttled || (error.http_status == 503 && error.retry_after);
  return rejected || is_idempotent(verb);
}

}  // namespace rescheduler::kube
