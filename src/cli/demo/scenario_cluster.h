// An embedded cluster that is served on loopback while a scenario is played on it: what `sim` and `demo` start.
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

// A shipped scenario or a file; without a name so many plain nodes. `nodes` 0: as many as it has (or three plain ones).
Result<sim::Scenario> choose_scenario(const std::string& name, int nodes, std::optional<std::uint64_t> seed);

struct ScenarioClusterSettings {
  sim::Scenario scenario{};
  double speed = 1;
  std::uint16_t port = 0;
  bool tls = true;
  bool place = true;        // with a scheduler of our own
  bool reschedule = false;  // and have it move what runs, at a demo's pace
  bool watch = false;
  sim::Journal::Line journal{};  // empty: none
  // Where its pages are served on loopback; nothing: nowhere. 0: any free port.
  std::optional<std::uint16_t> ui_port{};
  bool ui_or_any = false;  // another port where that one is taken
};

class ScenarioCluster {
 public:
  static Result<std::unique_ptr<ScenarioCluster>> start(ScenarioClusterSettings settings);
  ~ScenarioCluster();
  ScenarioCluster(const ScenarioCluster&) = delete;
  ScenarioCluster& operator=(const ScenarioCluster&) = delete;

  sim::ServedCluster& served() { return *served_; }
  // On the cluster's thread; waits.
  void on_loop(const std::function<void()>& look) { served_->on_loop(look); }
  sim::ScenarioRunner& runner() { return *runner_; }  // on the cluster's thread only
  ClusterWatcher& watcher() { return *watcher_; }     // likewise; with `watch`
  std::string ui_url() const { return dashboard_ ? dashboard_->url() : std::string(); }

 private:
  ScenarioCluster() = default;
  // On the cluster's thread, as the next ones.
  Result<void> start_on_loop(ScenarioClusterSettings settings);
  Result<void> make_scheduler(const ScenarioClusterSettings& settings);
  void watch_composition(Composition& composition);
  void tell_activity(const sim::ScenarioActivity& activity);
  void tell(const rescheduling::Plan& plan);

  // All but the first are made and destroyed on the cluster's thread.
  std::unique_ptr<sim::ServedCluster> served_;
  std::unique_ptr<sim::Journal> journal_;
  std::unique_ptr<sim::ScenarioRunner> runner_;
  std::unique_ptr<ClusterWatcher> watcher_;
  std::unique_ptr<sim::AgendaTimers> timers_;
  std::unique_ptr<EmbeddedScheduler> scheduler_;
  std::unique_ptr<DemoDashboard> dashboard_;  // with `ui_port`
};

}  // namespace rescheduler::cli
