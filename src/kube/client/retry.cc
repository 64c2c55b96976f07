#include "kube/client/retry.h"

namespace rescheduler::kube {
namespace {

bool harmless_twice(Verb verb) { return verb != Verb::Create && verb != Verb::Patch; }

}  // namespace

bool may_repeat(Verb verb, Repeat repeat, const Error& error) {
  if (repeat == Repeat::Never || !is_retriable(error)) return false;
  const bool turned_away = error.code == Errc::Throttled || (error.http_status == 503 && error.retry_after);
  return turned_away || harmless_twice(verb);
}

}  // namespace rescheduler::kube
