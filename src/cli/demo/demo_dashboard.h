// The pages of an embedded cluster: on loopback, for anybody at this machine.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/metrics.h"
#include "base/rng.h"
#include "cli/composition/live_dashboard.h"
#include "cli/demo/demo_actions.h"
#include "net/event_loop.h"
#include "server/server.h"
#include "sim/scenario/scenario_runner.h"
#include "sim/served_cluster.h"

namespace rescheduler::cli {

// On the cluster's thread, but url().
class DemoDashboard {
 public:
  // The composition does not follow yet; null: nobody places pods. All outlive stop().
  DemoDashboard(sim::ServedCluster& served, sim::ScenarioRunner& runner, double speed, Composition* composition);
  ~DemoDashboard();

  dashboard::DashboardModel& model() { return dashboard_->model(); }
  // On this port; where it is taken and `or_any`, on any. 0: any.
  Result<void> serve(std::uint16_t port, bool or_any);
  std::string url() const;
  net::Task<Result<void>> stop();

 private:
  Rng rng_{1};
  MetricRegistry metrics_;
  net::RealTimers timers_;
  SystemClock clock_;
  net::Executor executor_;
  std::unique_ptr<LiveDashboard> dashboard_;
  std::unique_ptr<DemoActionRunner> demo_actions_;
  std::unique_ptr<server::Server> server_;
};

}  // namespace rescheduler::cli
