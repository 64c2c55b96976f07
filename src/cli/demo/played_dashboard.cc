#include "cli/demo/played_dashboard.h"

#include <fmt/format.h>

#include "config/catalog.h"
#include "dashboard/decision.h"
#include "dashboard/settings_view.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cli {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

}  // namespace

PlayedDashboard::PlayedDashboard(sim::ServedCluster& served, const sim::Scenario& scenario, double speed)
    : served_(served) {
  dashboard::DashboardParts parts{.executor = served.loop().executor()};
  parts.clock = &served.cluster().agenda();
  parts.api = &served.api();
  parts.demo = true;
  parts.board.cluster = scenario.name;
  parts.board.boot = fmt::format("{:x}", clock_.wall_now().time_since_epoch().count());
  parts.board.speed = speed;
  parts.board.history_every = std::chrono::seconds{2};  // a demo is over before ten have passed often enough
  parts.explain = [this](api::Pod pod, placement::NodesTold told) -> net::Task<Result<std::string>> {
    if (scheduler_ == nullptr) co_return fail(Errc::Unsupported, "nobody places pods here");
    auto said = co_await dashboard::explain(scheduler_->live(), std::move(pod), std::move(told));
    co_return said;
  };
  dashboard_ = std::make_unique<dashboard::Dashboard>(std::move(parts));
}

PlayedDashboard::~PlayedDashboard() = default;

OwnListeners PlayedDashboard::listeners() {
  OwnListeners listeners;
  listeners.sink = [this](scheduler::ClusterSink& sink) { dashboard_->listen(sink); };
  listeners.mover = [this](migration::MigrationController& mover) {
    mover.on_change(
        [this](const api::Migration& migration, bool gone) { dashboard_->board().migration(migration, gone); });
  };
  return listeners;
}

void PlayedDashboard::attach(OwnScheduler* scheduler, sim::ScenarioRunner& runner, const FailureRecovery* recovery) {
  scheduler_ = scheduler;
  auto* rescheduler = scheduler == nullptr ? nullptr : scheduler->rescheduler();
  auto* controller = rescheduler == nullptr ? nullptr : &rescheduler->controller();
  dashboard::BoardSources sources;
  if (controller != nullptr) {
    sources.status = [controller] { return &controller->status(); };
    sources.modes = [controller] { return controller->modes(); };
  }
  if (recovery != nullptr) sources.recovery = [recovery] { return recovery->live().picture(); };
  if (scheduler != nullptr) {
    sources.load_sentence = [scheduler] { return scheduler->live().load_status(); };
    dashboard_->set_settings(
        dashboard::settings_json(scheduler->configuration(), config::default_catalog(), {}, "", "demo"));
  }
  dashboard_->board().ask(std::move(sources));
  dashboard::ClusterActionsParts doing{
      .api = &served_.api(),
      .services = {served_.loop().executor(), &timers_, &served_.cluster().agenda(), &rng_, &metrics_},
      .host = "embedded"};
  doing.controller = [controller] { return controller; };
  actions_ = std::make_unique<dashboard::ClusterActions>(std::move(doing));
  deeds_ = std::make_unique<DemoDeeds>(served_.cluster(), runner, controller);
  dashboard_->set_actions(actions_.get(), deeds_.get());
}

Result<void> PlayedDashboard::serve(std::uint16_t port, bool or_any) {
  server::ServerSettings settings;
  settings.address = kLoopback;
  settings.port = port;
  settings.open_actions = true;
  settings.most_body_bytes = server::kMostActionBytes;
  const kube::LoopServices services{served_.loop().executor(), &timers_, &clock_, &rng_, &metrics_};
  auto started = server::Server::start(services, nullptr, settings);
  if (!started && or_any) {
    settings.port = 0;
    started = server::Server::start(services, nullptr, settings);
  }
  if (!started) return fail(std::move(started.error()));
  server_ = std::move(*started);
  dashboard_->serve(*server_);
  dashboard_->start();
  return {};
}

std::string PlayedDashboard::url() const { return fmt::format("http://{}:{}/ui/", kLoopback, server_->port()); }

net::Task<Result<void>> PlayedDashboard::stop() {
  dashboard_->stop();
  constexpr std::chrono::milliseconds kGrace{500};
  if (server_) co_await server_->stop(kGrace);
  dashboard_->set_actions(nullptr);
  deeds_.reset();
  co_return Result<void>{};
}

}  // namespace rescheduler::cli
