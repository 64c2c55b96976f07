// The Api of one leader. It reports a breach for a write that begins without the lease, or that is still in flight when
// the lease expires.
#pragma once

#include <memory>

#include "chaos/history_checker.h"
#include "kube/client/forwarding_api.h"
#include "kube/leader/leader_fence.h"

namespace rescheduler::test {

class LeaseCheckingApi final : public kube::ForwardingApi {
 public:
  LeaseCheckingApi(kube::Api& api,
                   std::shared_ptr<const kube::LeaderFence> lease,
                   const Clock& clock,
                   HistoryChecker& checker)
      : ForwardingApi(api), lease_(std::move(lease)), clock_(clock), checker_(checker) {}

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;

 private:
  std::shared_ptr<const kube::LeaderFence> lease_;
  const Clock& clock_;
  HistoryChecker& checker_;
};

}  // namespace rescheduler::test
