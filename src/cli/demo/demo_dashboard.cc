#include "cli/demo/demo_dashboard.h"

#include <fmt/format.h>

#include "config/catalog.h"
#include "dashboard/settings_view.h"

namespace rescheduler::cli {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

}  // namespace

DemoDashboard::DemoDashboard(sim::ServedCluster& served,
                             sim::ScenarioRunner& runner,
                             double speed,
                             Composition* composition)
    : executor_(served.loop().executor()) {
  const Clock& clock = served.cluster().agenda();
  LiveDashboardSettings settings{
      .parts = {.executor = executor_},
      .actions = {
          .api = &served.api(), .services = {executor_, &timers_, &clock, &rng_, &metrics_}, .host = "embedded"}};
  settings.parts.clock = &clock;
  settings.parts.api = &served.api();
  settings.parts.demo = true;
  settings.parts.model.cluster = runner.scenario().name;
  settings.parts.model.boot = fmt::format("{:x}", clock_.wall_now().time_since_epoch().count());
  settings.parts.model.speed = speed;
  settings.parts.model.history_every = std::chrono::seconds{2};  // a demo is too short for the default of 10 s
  if (composition != nullptr) {
    settings.parts.settings_json =
        dashboard::settings_json(composition->configuration(), config::default_catalog(), {}, "", "demo");
  }
  dashboard_ = std::make_unique<LiveDashboard>(std::move(settings), composition);
  demo_actions_ = std::make_unique<DemoActionRunner>(served.cluster(), runner,
                                                     composition == nullptr ? nullptr : composition->controller());
}

DemoDashboard::~DemoDashboard() = default;

Result<void> DemoDashboard::serve(std::uint16_t port, bool or_any) {
  server::ServerSettings settings;
  settings.address = kLoopback;
  settings.port = port;
  settings.open_actions = true;
  settings.most_body_bytes = server::kMostActionBytes;
  const kube::LoopServices services{executor_, &timers_, &clock_, &rng_, &metrics_};
  auto started = server::Server::start(services, nullptr, settings);
  if (!started && or_any) {
    settings.port = 0;
    started = server::Server::start(services, nullptr, settings);
  }
  if (!started) return fail(std::move(started.error()));
  server_ = std::move(*started);
  dashboard_->serve(*server_, demo_actions_.get());
  dashboard_->follow();
  return {};
}

std::string DemoDashboard::url() const { return fmt::format("http://{}:{}/ui/", kLoopback, server_->port()); }

net::Task<Result<void>> DemoDashboard::stop() {
  constexpr std::chrono::milliseconds kGrace{500};
  co_await dashboard_->stop(kGrace);
  if (server_) co_await server_->stop(kGrace);
  co_return Result<void>{};
}

}  // namespace rescheduler::cli
