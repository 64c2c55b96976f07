// Rescheduling for a live scheduler: assembles fenced writes, the controller, and its connections to the scheduler.
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
  config::Configuration configuration{};  // `rescheduled` is the relevant part
  std::shared_ptr<const kube::LeaderFence> fence{};
  ControllerSettings controller{};  // settings that the configuration does not have
};

class LiveRescheduler final : public kube::Component {
 public:
  // Registers with the scheduler, which must not follow yet. The scheduler and the migrator must outlive this object.
  // Null: no profile has the plugin, or enableReschedulingController is false.
  static Result<std::unique_ptr<LiveRescheduler>> make(scheduler::LiveApis apis,
                                                       LiveReschedulerSettings settings,
                                                       migration::Migrator& migrator,
                                                       scheduler::LiveScheduler& scheduler,
                                                       kube::LoopServices services);
  ~LiveRescheduler() override;

  void follow() override { controller_->follow(); }
  net::Task<Result<void>> wait_synced() override { return controller_->wait_synced(); }
  // After the migrator, so that the first cycle counts its moves in progress.
  void lead() override { controller_->lead(); }
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
