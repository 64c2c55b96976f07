// An Api for coroutines of another thread: each call runs on the loop the real one belongs to, and its answer comes
// back to the caller's.
#pragma once

#include "kube/client/api.h"

namespace rescheduler::scheduler {

class HoppingApi final : public kube::Api {
 public:
  HoppingApi(kube::Api& api, net::Executor home) : api_(api), home_(std::move(home)) {}

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override;
  // A stream stays where it is: streams are not for visitors.
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  kube::Api& api_;
  net::Executor home_;
};

}  // namespace rescheduler::scheduler
