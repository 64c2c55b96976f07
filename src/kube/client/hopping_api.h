// An Api for coroutines of another thread: each call runs on the loop of the real Api, and its answer returns to the
// caller's loop.
#pragma once

#include "kube/client/api.h"

namespace rescheduler::kube {

class HoppingApi final : public Api {
 public:
  HoppingApi(Api& api, net::Executor home) : api_(api), home_(std::move(home)) {}

  net::Task<Result<void>> call(ApiCall call, Message* answer) override;
  net::Task<Result<ListPage>> list(ApiCall call, ItemSink sink) override;
  // Not supported: a watch must be opened on the loop of the real Api.
  net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  Api& api_;
  net::Executor home_;
};

}  // namespace rescheduler::kube
