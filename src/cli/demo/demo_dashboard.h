// The dashboard of an embedded cluster: on loopback, open to all users of this machine.
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

// Used only on the thread of the cluster, except url().
class DemoDashboard {
 public:
  // The composition must not follow yet; null: no scheduler. All arguments must outlive stop().
  DemoDashboard(sim::ServedCluster& served, sim::ScenarioRunner& runner, double speed, Composition* composition);
  ~DemoDashboard();

  dashboard::DashboardModel& model() { return dashboard_->model(); }
  // Listens on `port`; 0: any port. If the port is in use and `or_any` is set, listens on any port.
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
