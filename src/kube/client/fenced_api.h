// An Api that writes only while this process is the leader. After leadership is lost, it refuses writes. The timeout of
// a running write ends before another process can become leader.
#pragma once

#include <memory>

#include "kube/client/forwarding_api.h"
#include "kube/leader/leader_fence.h"

namespace rescheduler::kube {

class FencedApi final : public ForwardingApi {
 public:
  // Without a fence all writes pass: this process runs without leader election.
  FencedApi(Api& api, std::shared_ptr<const LeaderFence> fence) : ForwardingApi(api), fence_(std::move(fence)) {}

  net::Task<Result<void>> call(ApiCall call, Message* answer) override;

 private:
  std::shared_ptr<const LeaderFence> fence_;
};

}  // namespace rescheduler::kube
