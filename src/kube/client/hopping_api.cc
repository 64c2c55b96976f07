#include "kube/client/hopping_api.h"

#include "net/run_on.h"

namespace rescheduler::kube {

net::Task<Result<void>> HoppingApi::call(ApiCall call, Message* answer) {
  auto result = co_await net::run_on(home_, api_.call(std::move(call), answer));
  co_return result;
}

net::Task<Result<ListPage>> HoppingApi::list(ApiCall call, ItemSink sink) {
  auto result = co_await net::run_on(home_, api_.list(std::move(call), std::move(sink)));
  co_return result;
}

net::Task<Result<std::unique_ptr<WatchStream>>> HoppingApi::watch(ApiCall call) {
  co_return fail(Errc::Unsupported, "{}: a watch has to be opened on its own loop", describe(call));
}

net::Task<Result<std::string>> HoppingApi::get_text(std::string path, std::string accept) {
  auto result = co_await net::run_on(home_, api_.get_text(std::move(path), std::move(accept)));
  co_return result;
}

}  // namespace rescheduler::kube
