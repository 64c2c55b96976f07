// Rescheduling beside a live scheduler, put together: fenced writes, the controller, and the wires between it and the
// scheduler.
#pragma once

#include <memory>

#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/component.h"
#include "kube/leader/leader_fence.h"
#include "migration/migrator.h"
#include "rescheduling/loop/controller.h"
#include "scheduler/live_scheduler.h"

namespace rescheduler::rescheduling {

struct LiveReschedulerSettings {
  config::Configuration configuration{};  // `rescheduled` says what is done
  std::shared_ptr<const kube::LeaderFence> fence{};
  ControllerSettings controller{};  // what the configuration does not say
};

class LiveRescheduler final : public kube::Component {
 public:
  // Listens to the scheduler, which does not follow yet; it and the mover outlive this. Nothing: no profile has the
  // plugin, or enableReschedulingController is false.
  static Result<std::unique_ptr<LiveRescheduler>> make(scheduler::LiveApis apis,
                                                       LiveReschedulerSettings settings,
                                                       migration::Migrator& migrator,
                                                       scheduler::LiveScheduler& scheduler,
                                                       kube::LoopServices services);
  ~LiveRescheduler() override;

  void follow() override { controller_->follow(); }
  net::Task<Result<void>> wait_synced() override { return controller_->wait_synced(); }
  void lead() override { controller_->lead(); }  // after the mover: what it finds under way counts from the first cycle
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

  Controller& controller() { return *controller_; }

 private:
  LiveRescheduler() = default;
  scheduler::ClusterSink sink() const;

  std::unique_ptr<kube::Api> writes_;
  std::unique_ptr<kube::Api> events_;
  std::shared_ptr<Controller> controller_;
};

}  // namespace rescheduler::rescheduling
