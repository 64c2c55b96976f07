// The plugins of this scheduler as an extender of another scheduler: their filter results and scores for nodes.
#pragma once

#include "kube/client/client.h"
#include "scheduler/live_scheduler.h"
#include "server/extender_routes.h"

namespace rescheduler::server {

class PluginExtender final : public ExtenderService {
 public:
  // `live` and `api` must outlive the extender.
  PluginExtender(scheduler::LiveScheduler& live, kube::Api& api) : live_(live), client_(api) {}

  net::Task<Result<FilterResult>> filter(const kube::ExtenderArgs& args) override;
  net::Task<Result<std::vector<kube::HostPriority>>> prioritize(const kube::ExtenderArgs& args) override;
  // Keeps every candidate: the results of kube-scheduler's own plugins apply.
  net::Task<Result<kube::MetaVictimsByNode>> preempt(const kube::ExtenderPreemptionArgs& args) override;
  net::Task<Result<void>> bind(const kube::ExtenderBindingArgs& args) override;

 private:
  scheduler::LiveScheduler& live_;
  kube::Client client_;
};

}  // namespace rescheduler::server
