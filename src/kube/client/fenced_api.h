// An Api that writes only while this process is the leader. After the leadership it refuses writes. The timeout of a
// running write ends before another process can become leader.
#pragma once

#include <memory>

#include "kube/client/api.h"
#include "kube/leader/leader_fence.h"

namespace rescheduler::kube {

class FencedApi final : public Api {
 public:
  // Without a fence all writes pass: this process runs without leader election.
  FencedApi(Api& api, std::shared_ptr<const LeaderFence> fence) : api_(api), fence_(std::move(fence)) {}

  net::Task<Result<void>> call(ApiCall call, Message* answer) override;
  net::Task<Result<ListPage>> list(ApiCall call, ItemSink sink) override;
  net::Task<Result<std::unique_ptr<WatchStream>>> watch(ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  Api& api_;
  std::shared_ptr<const LeaderFence> fence_;
};

}  // namespace rescheduler::kube
