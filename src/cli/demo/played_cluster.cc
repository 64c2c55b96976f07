#include "cli/demo/played_cluster.h"

#include <map>
#include <utility>

#include <fmt/core.h>

#include "base/log.h"
#include "cli/demo/prometheus_config.h"
#include "kube/codec/metadata.h"
#include "kube/config/environment.h"
#include "kube/proto/core_node.pb.h"
#include "kube/proto/meta.pb.h"
#include "sim/door/documents.h"
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
    constexpr std::string_view kOurs = "/sim";  // the rest is as the cluster has it: /nodes/NAME/metrics
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

Result<std::unique_ptr<PlayedCluster>> PlayedCluster::start(PlaySettings settings) {
  sim::ServeSettings serve;
  const std::uint64_t seed = settings.scenario.seed;
  serve.cluster.seed = seed;
  serve.cluster.series_directory = sim::series_directory(kube::process_environment());
  serve.speed = settings.speed;
  serve.port = settings.port;
  serve.tls = settings.tls;
  auto served = sim::ServedCluster::start(std::move(serve));
  if (!served) return fail(std::move(served.error()));
  std::unique_ptr<PlayedCluster> played(new PlayedCluster);
  PlayedCluster& made = *played;
  made.served_ = std::move(*served);
  Result<void> begun;
  made.on_loop([&made, &settings, &begun, seed] {
    sim::EmbeddedCluster& cluster = made.served_->cluster();
    show_prometheus_targets(*made.served_, settings.speed != 1);
    if (settings.journal) made.journal_ = std::make_unique<sim::Journal>(cluster.server(), std::move(settings.journal));
    if (settings.ui_port) {
      made.dashboard_ = std::make_unique<PlayedDashboard>(*made.served_, settings.scenario, settings.speed);
    }
    made.runner_ = std::make_unique<sim::ScenarioRunner>(cluster.server(), std::move(settings.scenario));
    if (settings.watch) made.watcher_ = std::make_unique<ClusterWatcher>(cluster, *made.runner_);
    if (settings.place) begun = made.start_scheduler(seed, settings.reschedule);
    if (begun && settings.place && settings.watch) made.start_recovery(seed);
    if (begun && settings.ui_port) begun = made.start_dashboard(settings);
    made.runner_->start();
  });
  if (!begun) return fail(std::move(begun.error()));
  return played;
}

OwnRescheduling PlayedCluster::rescheduling() {
  OwnRescheduling how;
  how.args = OwnScheduler::in_a_hurry(runner_->scenario().nodes());
  how.on_plan = [this](const rescheduling::Plan& plan) {
    if (watcher_) tell(plan);
    if (dashboard_) dashboard_->board().plan(plan);
  };
  // That a pod was moved the watcher sees for itself.
  how.on_outcome = [this](const migration::MoveOutcome& outcome) {
    if (!outcome.landed.empty() || !watcher_) return;
    watcher_->tell(fmt::format("not moved: {}/{}: {}", outcome.order.ns, outcome.order.pod, outcome.message), true);
  };
  how.on_node_news = [this](const rescheduling::NodeNews& news) {
    const std::string text = fmt::format("{}: {}", news.node, news.note);
    if (watcher_) watcher_->tell(text, news.warning);
    tell({"maintenance", news.warning, text, dashboard::NewsObject{"Node", "", news.node}});
  };
  return how;
}

void PlayedCluster::tell(dashboard::News news) {
  if (dashboard_) dashboard_->board().tell(std::move(news));
}

Result<void> PlayedCluster::start_dashboard(const PlaySettings& settings) {
  dashboard_->attach(scheduler_.get(), *runner_, recovery_.get());
  runner_->on_news([this](const sim::ScenarioNews& news) {
    if (watcher_) watcher_->tell(news.text, news.trouble);
    tell({"scenario", news.trouble, news.text, std::nullopt});
  });
  return dashboard_->serve(*settings.ui_port, settings.ui_or_any);
}

void PlayedCluster::tell(const rescheduling::Plan& plan) {
  std::map<std::string_view, int> counts;
  for (const rescheduling::PlannedMove& move : plan.moves) ++counts[to_string(move.strategy)];
  std::string text = "plan:";
  for (const auto& [strategy, count] : counts) {
    text += fmt::format(" {} {} {};", strategy, count, count == 1 ? "move" : "moves");
  }
  watcher_->tell(
      fmt::format("{} balance score {:.0f} to {:.0f}", text, plan.before.balance.score, plan.after.balance.score),
      false);
}

Result<void> PlayedCluster::start_scheduler(std::uint64_t seed, bool reschedule) {
  sim::Agenda& agenda = served_->cluster().agenda();
  timers_ = std::make_unique<sim::AgendaTimers>(agenda);
  std::optional<OwnRescheduling> moving;
  if (reschedule) moving = rescheduling();
  auto started = OwnScheduler::start(served_->api(), served_->loop().executor(), *timers_, agenda, seed,
                                     OwnScheduler::Judges::Load, std::move(moving),
                                     dashboard_ ? dashboard_->listeners() : OwnListeners());
  if (!started) return fail(std::move(started.error()));
  scheduler_ = std::move(*started);
  if (watcher_ && scheduler_->rescheduler() != nullptr) {
    watcher_->judge_balance_by([this]() -> const cluster::Balance* {
      const rescheduling::ControllerStatus& now = scheduler_->rescheduler()->controller().status();
      return now.cycles == 0 ? nullptr : &now.picture.balance;
    });
  }
  return {};
}

// With rules for somebody who watches, where a day is over in minutes.
void PlayedCluster::start_recovery(std::uint64_t seed) {
  recovery_rng_ = std::make_unique<Rng>(seed);
  FailureRecoverySettings settings;
  settings.recovery.rules.crash_loop.restarts = 2;
  settings.recovery.rules.node_lost.after = std::chrono::seconds{10};
  settings.recovery.healthy_window = std::chrono::minutes{2};
  settings.recovery.webhook.port = 0;
  settings.recovery.webhook.url = "https://127.0.0.1:0";
  settings.host = "embedded";
  settings.own_schedulers = {"rescheduler-scheduler", "default-scheduler"};
  settings.address = "127.0.0.1";
  settings.on_news = [this](const rescheduling::recovery::RecoveryNews& news) {
    tell({"recovery", news.warning, fmt::format("{} {}/{}: {}", news.kind, news.ns, news.name, news.note),
          dashboard::NewsObject{news.kind, news.ns, news.name}});
  };
  const kube::LoopServices services{served_->loop().executor(), timers_.get(), &served_->cluster().agenda(),
                                    recovery_rng_.get(), &recovery_metrics_};
  recovery_ = FailureRecovery::start({&served_->api(), nullptr}, std::move(settings), services);
  recovery_->lead();
}

net::Task<Result<void>> PlayedCluster::stop_recovery() {
  constexpr std::chrono::seconds kGrace{1};
  co_await recovery_->stop(kGrace);
  co_return Result<void>{};
}

PlayedCluster::~PlayedCluster() {
  if (!served_) return;
  if (dashboard_) (void)served_->loop().await_result(dashboard_->stop());
  if (recovery_) (void)served_->loop().await_result(stop_recovery());
  if (scheduler_) {
    const auto stopped = served_->loop().await_result(scheduler_->stop());
    if (!stopped) log_warning("{}", stopped.error().message);
  }
  on_loop([this] {
    recovery_.reset();
    scheduler_.reset();
    dashboard_.reset();
    watcher_.reset();
    runner_.reset();
    journal_.reset();
  });
}

}  // namespace rescheduler::cli
