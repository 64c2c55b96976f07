// Our plugins as an extender of somebody else's scheduler: what a node would be told by them, and how they score it.
#pragma once

#include "kube/client/client.h"
#include "scheduler/live_scheduler.h"
#include "server/extender_routes.h"

namespace rescheduler::server {

class PluginExtender final : public ExtenderService {
 public:
  // Both outlive it.
  PluginExtender(scheduler::LiveScheduler& live, kube::Api& api) : live_(live), client_(api) {}

  net::Task<Result<FilterResult>> filter(const kube::ExtenderArgs& args) override;
  net::Task<Result<std::vector<kube::HostPriority>>> prioritize(const kube::ExtenderArgs& args) override;
  // Every candidate stays: what kube-scheduler found out with its own plugins holds.
  net::Task<Result<kube::MetaVictimsByNode>> preempt(const kube::ExtenderPreemptionArgs& args) override;
  net::Task<Result<void>> bind(const kube::ExtenderBindingArgs& args) override;

 private:
  scheduler::LiveScheduler& live_;
  kube::Client client_;
};

}  // namespace rescheduler::server
