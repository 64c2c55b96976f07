#include "scheduler/fenced_api.h"

#include <algorithm>

namespace rescheduler::scheduler {

net::Task<Result<void>> FencedApi::call(kube::ApiCall call, kube::Message* answer) {
  if (fence_ && call.verb != kube::Verb::Get) {
    if (!fence_->may_act()) {
      co_return fail(Errc::Cancelled, "{}: this process does not lead any more", kube::describe(call));
    }
    call.timeout = std::min(call.timeout, fence_->time_left());
  }
  auto done = co_await api_.call(std::move(call), answer);
  co_return done;
}

net::Task<Result<kube::ListPage>> FencedApi::list(kube::ApiCall call, kube::ItemSink sink) {
  return api_.list(std::move(call), std::move(sink));
}

net::Task<Result<std::unique_ptr<kube::WatchStream>>> FencedApi::watch(kube::ApiCall call) {
  return api_.watch(std::move(call));
}

net::Task<Result<std::string>> FencedApi::get_text(std::string path, std::string accept) {
  return api_.get_text(std::move(path), std::move(accept));
}

}  // namespace rescheduler::scheduler
