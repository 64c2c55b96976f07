// The Api of one leader. It reports a breach for a write that begins without the lease, or that is still in flight when
// the lease expires.
#pragma once

#include <memory>

#include "chaos/history_checker.h"
#include "kube/client/api.h"
#include "kube/leader/leader_fence.h"

namespace rescheduler::test {

class LeaseCheckingApi final : public kube::Api {
 public:
  LeaseCheckingApi(kube::Api& api,
                   std::shared_ptr<const kube::LeaderFence> lease,
                   const Clock& clock,
                   HistoryChecker& checker)
      : api_(api), lease_(std::move(lease)), clock_(clock), checker_(checker) {}

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override {
    return api_.list(std::move(call), std::move(sink));
  }
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override {
    return api_.watch(std::move(call));
  }
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override {
    return api_.get_text(std::move(path), std::move(accept));
  }

 private:
  kube::Api& api_;
  std::shared_ptr<const kube::LeaderFence> lease_;
  const Clock& clock_;
  HistoryChecker& checker_;
};

}  // namespace rescheduler::test
