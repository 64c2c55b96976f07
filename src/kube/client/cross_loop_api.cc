#include "kube/client/cross_loop_api.h"

#include "net/run_on.h"

namespace rescheduler::kube {

net::Task<Result<void>> CrossLoopApi::call(ApiCall call, Message* answer) {
  auto result = co_await net::run_on(api_executor_, api_.call(std::move(call), answer));
  co_return result;
}

net::Task<Result<ListPage>> CrossLoopApi::list(ApiCall call, ItemSink sink) {
  auto result = co_await net::run_on(api_executor_, api_.list(std::move(call), std::move(sink)));
  co_return result;
}

net::Task<Result<std::unique_ptr<WatchStream>>> CrossLoopApi::watch(ApiCall call) {
  co_return fail(Errc::Unsupported, "{}: a watch has to be opened on its own loop", describe(call));
}

net::Task<Result<std::string>> CrossLoopApi::get_text(std::string path, std::string accept) {
  auto result = co_await net::run_on(api_executor_, api_.get_text(std::move(path), std::move(accept)));
  co_return result;
}

}  // namespace rescheduler::kube
