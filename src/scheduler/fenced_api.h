// An Api that writes only while this process leads: what is not begun in time is refused, and what is begun is given up
// before anybody else can lead.
#pragma once

#include <memory>

#include "kube/client/api.h"
#include "kube/leader/leader_fence.h"

namespace rescheduler::scheduler {

class FencedApi final : public kube::Api {
 public:
  // Without a fence everything passes: nobody else could be leading.
  FencedApi(kube::Api& api, std::shared_ptr<const kube::LeaderFence> fence) : api_(api), fence_(std::move(fence)) {}

  net::Task<Result<void>> call(kube::ApiCall call, kube::Message* answer) override;
  net::Task<Result<kube::ListPage>> list(kube::ApiCall call, kube::ItemSink sink) override;
  net::Task<Result<std::unique_ptr<kube::WatchStream>>> watch(kube::ApiCall call) override;
  net::Task<Result<std::string>> get_text(std::string path, std::string accept) override;

 private:
  kube::Api& api_;
  std::shared_ptr<const kube::LeaderFence> fence_;
};

}  // namespace rescheduler::scheduler
