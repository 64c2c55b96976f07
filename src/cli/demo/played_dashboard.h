// The pages of an embedded cluster that is being played: on loopback, for anybody at this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "cli/daemon/failure_recovery.h"
#include "cli/demo/demo_deeds.h"
#include "cli/demo/own_scheduler.h"
#include "dashboard/cluster_actions.h"
#include "dashboard/dashboard.h"
#include "net/event_loop.h"
#include "server/server.h"
#include "sim/scenario/scenario_runner.h"
#include "sim/served_cluster.h"

namespace rescheduler::cli {

// On the cluster's thread, but url().
class PlayedDashboard {
 public:
  PlayedDashboard(sim::ServedCluster& served, const sim::Scenario& scenario, double speed);
  ~PlayedDashboard();

  OwnListeners listeners();
  dashboard::Board& board() { return dashboard_->board(); }
  // Whom it asks from now on. Those that are null are not there; all outlive stop().
  void attach(OwnScheduler* scheduler, sim::ScenarioRunner& runner, const FailureRecovery* recovery);
  // On this port; where it is taken and `or_any`, on any. 0: any.
  Result<void> serve(std::uint16_t port, bool or_any);
  std::string url() const;
  net::Task<Result<void>> stop();

 private:
  sim::ServedCluster& served_;
  Rng rng_{1};
  MetricRegistry metrics_;
  net::RealTimers timers_;
  SystemClock clock_;
  OwnScheduler* scheduler_ = nullptr;
  std::unique_ptr<dashboard::Dashboard> dashboard_;
  std::unique_ptr<dashboard::ClusterActions> actions_;
  std::unique_ptr<DemoDeeds> deeds_;
  std::unique_ptr<server::Server> server_;
};

}  // namespace rescheduler::cli
