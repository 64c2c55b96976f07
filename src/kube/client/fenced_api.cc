#include "kube/client/fenced_api.h"

#include <algorithm>

namespace rescheduler::kube {

net::Task<Result<void>> FencedApi::call(ApiCall call, Message* answer) {
  if (fence_ && call.verb != Verb::Get) {
    if (!fence_->may_act()) {
      co_return fail(Errc::Cancelled, "{}: this process is no longer the leader", describe(call));
    }
    call.timeout = std::min(call.timeout, fence_->time_left());
  }
  auto done = co_await api_.call(std::move(call), answer);
  co_return done;
}

}  // namespace rescheduler::kube
