// An Api for coroutines of another thread: each call runs on the loop of the real Api, and its answer returns to the
// caller's loop.
#pragma once

#include "kube/client/api.h"

namespace rescheduler::kube {

class CrossLoopApi final : public Api {
 public:
  CrossLoopApi(Api& api, net::Executor api_executor) : api_(api), api_executor_(std::move(api_executor)) {}

  net::Task<Result<void>> call(ApiCall call, Message* answer) override;
  net::Task<Result<ListPage>> list(ApiCall call, ItemSink sink) override;
  // Not supported: a watch must be opened on the loop of the real Api.
  net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  Api& api_;
  net::Executor api_executor_;
};

}  // namespace rescheduler::kube
