// The pages of the daemon: whom they are told by, whom they ask, what may be done from them.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "config/run_options.h"
#include "dashboard/cluster_actions.h"
#include "dashboard/dashboard.h"
#include "kube/client/api.h"
#include "kube/client/loop_services.h"
#include "kube/leader/leader_elector.h"
#include "migration/migration_controller.h"
#include "rescheduler/loop/live_rescheduler.h"
#include "rescheduler/recovery/live_recovery.h"
#include "scheduler/live_scheduler.h"
#include "server/server.h"

namespace rescheduler::cli {

struct DaemonDashboardParts {
  kube::Api* api = nullptr;
  kube::Api* events = nullptr;
  kube::LoopServices services;
  const config::Configuration* configuration = nullptr;
  const config::RunOptions* options = nullptr;
  std::string cluster{};  // what people call it
  std::string host{};
};

// Whom it asks while it lives; null and empty: not there.
struct DaemonDashboardSources {
  scheduler::LiveScheduler* live = nullptr;
  rescheduling::LiveRescheduler* rescheduler = nullptr;
  kube::LeaderElector* elector = nullptr;  // null: this one always leads
  std::function<bool()> leading{};
  std::function<const rescheduling::recovery::LiveRecovery*()> recovery{};  // null: not (yet)
  bool recovers = false;
};

// Members belong to the network thread.
class DaemonDashboard {
 public:
  // Nothing: it is switched off.
  static std::unique_ptr<DaemonDashboard> make(DaemonDashboardParts parts);

  void listen(scheduler::ClusterSink& sink) { dashboard_->listen(sink); }
  void listen(migration::MigrationController& mover);
  void listen(rescheduling::LiveReschedulerSettings& settings);
  std::function<void(const rescheduling::recovery::RecoveryNews&)> recovery_news();

  void ask(DaemonDashboardSources sources);
  void serve(server::Server& server);
  net::Task<void> stop();

 private:
  explicit DaemonDashboard(DaemonDashboardParts parts);

  DaemonDashboardParts parts_;
  DaemonDashboardSources sources_;
  std::shared_ptr<dashboard::Dashboard> dashboard_;
  std::unique_ptr<dashboard::ClusterActions> actions_;
};

}  // namespace rescheduler::cli
