#include "cli/demo/scenario_cluster.h"

#include <map>
#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "cli/demo/prometheus_config.h"
#include "kube/codec/metadata.h"
#include "kube/config/environment.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/frontend/documents.h"
#include "sim/load/node_text.h"
#include "sim/load/series.h"
#include "sim/scenario/scenario_file.h"

namespace rescheduler::cli {
namespace {

std::vector<std::string> node_names(const sim::Server& server) {
  std::vector<std::string> names;
  server.store().for_each(server.kinds().of<api::Node>(), "", "", [&names](const sim::VersionPtr& version) {
    names.push_back(kube::metadata_of(*version->object()).name());
    return true;
  });
  return names;
}

void show_prometheus_targets(sim::ServedCluster& served, bool timed) {
  using Page = std::optional<sim::TextAnswer>;
  sim::Documents& documents = served.cluster().documents();
  documents.add_path(std::string(kPrometheusTargetsPath), [&served, timed](const std::string&) -> Page {
    const auto names = node_names(served.cluster().server());
    return sim::TextAnswer{200, "application/json", prometheus_targets(served.url(), names, timed)};
  });
  documents.add_path(std::string(kTimedMetricsPrefix), [&served](const std::string& path) -> Page {
    constexpr std::string_view kOurs = "/sim";  // the rest of the path is that of the cluster: /nodes/NAME/metrics
    const auto text = sim::metrics_for_path(served.cluster().load(), std::string_view(path).substr(kOurs.size()));
    if (!text) return std::nullopt;
    const auto now = served.cluster().agenda().wall_now().time_since_epoch();
    const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(now).count();
    return sim::TextAnswer{200, "text/plain; version=0.0.4; charset=utf-8", with_time(*text, milliseconds)};
  });
}

}  // namespace

Result<sim::Scenario> choose_scenario(const std::string& name, int nodes, std::optional<std::uint64_t> seed) {
  constexpr int kPlainNodes = 3;
  Result<sim::Scenario> scenario = sim::plain_scenario(nodes > 0 ? nodes : kPlainNodes);
  if (!name.empty()) {
    scenario = sim::load_scenario(name, kube::process_environment());
    if (scenario && nodes > 0 && nodes != scenario->nodes()) scenario = sim::resized(std::move(*scenario), nodes);
  }
  if (scenario && seed) scenario->seed = *seed;
  return scenario;
}

Result<std::unique_ptr<ScenarioCluster>> ScenarioCluster::start(ScenarioClusterSettings settings) {
  sim::ServeSettings serve;
  serve.cluster.seed = settings.scenario.seed;
  serve.cluster.series_directory = sim::series_directory(kube::process_environment());
  serve.speed = settings.speed;
  serve.port = settings.port;
  serve.tls = settings.tls;
  auto served = sim::ServedCluster::start(std::move(serve));
  if (!served) return fail(std::move(served.error()));
  std::unique_ptr<ScenarioCluster> made(new ScenarioCluster);
  made->served_ = std::move(*served);
  Result<void> begun;
  made->on_loop([&] { begun = made->start_on_loop(std::move(settings)); });
  if (!begun) return fail(std::move(begun.error()));
  return made;
}

Result<void> ScenarioCluster::start_on_loop(ScenarioClusterSettings settings) {
  sim::EmbeddedCluster& cluster = served_->cluster();
  show_prometheus_targets(*served_, settings.speed != 1);
  if (settings.journal) journal_ = std::make_unique<sim::Journal>(cluster.server(), std::move(settings.journal));
  runner_ = std::make_unique<sim::ScenarioRunner>(cluster.server(), settings.scenario);
  if (settings.watch) watcher_ = std::make_unique<ClusterWatcher>(cluster, *runner_);
  if (settings.place) {
    auto made = make_scheduler(settings);
    if (!made) return made;
  }
  Composition* composition = scheduler_ ? &scheduler_->composition() : nullptr;
  if (watcher_ && composition != nullptr) watch_composition(*composition);
  if (settings.ui_port) {
    dashboard_ = std::make_unique<DemoDashboard>(*served_, *runner_, settings.speed, composition);
    runner_->on_activity([this](const sim::ScenarioActivity& activity) { report_activity(activity); });
    auto served = dashboard_->serve(*settings.ui_port, settings.ui_or_any);
    if (!served) return served;
  }
  if (scheduler_) scheduler_->start();
  runner_->start();
  return {};
}

Result<void> ScenarioCluster::make_scheduler(const ScenarioClusterSettings& settings) {
  EmbeddedSettings how;
  how.seed = settings.scenario.seed;
  if (settings.reschedule) how.rescheduling = EmbeddedScheduler::demo_settings(settings.scenario.nodes());
  if (settings.watch) {
    // Faster rules for a demo, in which a day lasts minutes.
    auto& recovery = how.recovery.emplace();
    recovery.rules.crash_loop.restarts = 2;
    recovery.rules.node_lost.after = std::chrono::seconds{10};
    recovery.healthy_window = std::chrono::minutes{2};
    recovery.quarantine.mode = config::StrategyMode::Act;
    recovery.webhook.port = 0;
    recovery.webhook.url = "https://127.0.0.1:0";
  }
  sim::Agenda& agenda = served_->cluster().agenda();
  timers_ = std::make_unique<sim::AgendaTimers>(agenda);
  auto made = EmbeddedScheduler::make(served_->api(), served_->loop().executor(), *timers_, agenda, std::move(how));
  if (!made) return fail(std::move(made.error()));
  scheduler_ = std::move(*made);
  return {};
}

void ScenarioCluster::watch_composition(Composition& composition) {
  Listeners listeners;
  listeners.on_plan = [this](const rescheduling::Plan& plan) { report_plan(plan); };
  // The watcher itself reports successful moves.
  listeners.on_outcome = [this](const migration::MoveOutcome& outcome) {
    if (!outcome.landed.empty()) return;
    watcher_->add_line(fmt::format("not moved: {}/{}: {}", outcome.request.ns, outcome.request.pod, outcome.message),
                       true);
  };
  listeners.on_node_activity = [this](const rescheduling::NodeActivity& activity) {
    watcher_->add_line(fmt::format("{}: {}", activity.node, activity.note), activity.warning);
  };
  composition.listen(std::move(listeners));
  if (composition.controller() == nullptr) return;
  watcher_->judge_balance_by([controller = composition.controller()]() -> const cluster::Balance* {
    const rescheduling::ControllerStatus& now = controller->status();
    return now.cycles == 0 ? nullptr : &now.balance_report.balance;
  });
}

void ScenarioCluster::report_activity(const sim::ScenarioActivity& activity) {
  if (watcher_) watcher_->add_line(activity.text, activity.warning);
  dashboard_->model().add_activity({"scenario", activity.warning, activity.text, std::nullopt});
}

void ScenarioCluster::report_plan(const rescheduling::Plan& plan) {
  std::map<std::string_view, int> counts;
  for (const rescheduling::PlannedMove& move : plan.moves) ++counts[to_string(move.strategy)];
  std::string text = "plan:";
  for (const auto& [strategy, count] : counts) {
    text += fmt::format(" {} {} {};", strategy, count, count == 1 ? "move" : "moves");
  }
  watcher_->add_line(
      fmt::format("{} balance score {:.0f} to {:.0f}", text, plan.before.balance.score, plan.after.balance.score),
      false);
}

ScenarioCluster::~ScenarioCluster() {
  if (!served_) return;
  if (dashboard_) (void)served_->loop().await_result(dashboard_->stop());
  if (scheduler_) {
    const auto stopped = served_->loop().await_result(scheduler_->stop());
    if (!stopped) log_warning("{}", stopped.error().message);
  }
  on_loop([this] {
    dashboard_.reset();
    scheduler_.reset();
    watcher_.reset();
    runner_.reset();
    journal_.reset();
  });
}

}  // namespace rescheduler::cli
