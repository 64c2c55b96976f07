// An embedded cluster on loopback that runs a scenario. `sim` and `demo` start it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "cli/demo/cluster_watcher.h"
#include "cli/demo/demo_dashboard.h"
#include "cli/demo/embedded_scheduler.h"
#include "sim/scenario/journal.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/scenario_runner.h"
#include "sim/served_cluster.h"
#include "sim/time/pacer.h"

namespace rescheduler::cli {

// A shipped scenario or a file; without a name, a cluster of plain nodes. `nodes` 0: as in the scenario, or three plain
// nodes.
Result<sim::Scenario> choose_scenario(const std::string& name, int nodes, std::optional<std::uint64_t> seed);

struct ScenarioClusterSettings {
  sim::Scenario scenario{};
  double speed = 1;
  std::uint16_t port = 0;
  bool tls = true;
  bool place = true;        // run our scheduler
  bool reschedule = false;  // also move running pods, at the speed of a demo
  bool watch = false;
  sim::Journal::Line journal{};  // empty: none
  // Port of the dashboard on loopback; empty: no dashboard. 0: any free port.
  std::optional<std::uint16_t> ui_port{};
  bool ui_or_any = false;  // use any port if this one is in use
};

class ScenarioCluster {
 public:
  static Result<std::unique_ptr<ScenarioCluster>> start(ScenarioClusterSettings settings);
  ~ScenarioCluster();
  ScenarioCluster(const ScenarioCluster&) = delete;
  ScenarioCluster& operator=(const ScenarioCluster&) = delete;

  sim::ServedCluster& served() { return *served_; }
  // Runs `function` on the thread of the cluster and waits.
  void on_loop(const std::function<void()>& function) { served_->on_loop(function); }
  sim::ScenarioRunner& runner() { return *runner_; }  // only on the thread of the cluster
  ClusterWatcher& watcher() { return *watcher_; }     // the same; only with `watch`
  std::string ui_url() const { return dashboard_ ? dashboard_->url() : std::string(); }

 private:
  ScenarioCluster() = default;
  // These functions run on the thread of the cluster.
  Result<void> start_on_loop(ScenarioClusterSettings settings);
  Result<void> make_scheduler(const ScenarioClusterSettings& settings);
  void watch_composition(Composition& composition);
  void report_activity(const sim::ScenarioActivity& activity);
  void report_plan(const rescheduling::Plan& plan);

  // All except the first are created and destroyed on the thread of the cluster.
  std::unique_ptr<sim::ServedCluster> served_;
  std::unique_ptr<sim::Journal> journal_;
  std::unique_ptr<sim::ScenarioRunner> runner_;
  std::unique_ptr<ClusterWatcher> watcher_;
  std::unique_ptr<sim::AgendaTimers> timers_;
  std::unique_ptr<EmbeddedScheduler> scheduler_;
  std::unique_ptr<DemoDashboard> dashboard_;  // with `ui_port`
};

}  // namespace rescheduler::cli
