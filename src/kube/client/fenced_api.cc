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

net::Task<Result<ListPage>> FencedApi::list(ApiCall call, ItemSink sink) {
  return api_.list(std::move(call), std::move(sink));
}

net::Task<Result<std::unique_ptr<WatchStream>>> FencedApi::watch(ApiCall call) { return api_.watch(std::move(call)); }

net::Task<Result<std::string>> FencedApi::get_text(std::string path, std::string accept) {
  return api_.get_text(std::move(path), std::move(accept));
}

}  // namespace rescheduler::kube
