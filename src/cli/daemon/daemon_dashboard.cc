#include "cli/daemon/daemon_dashboard.h"

#include <fmt/format.h>

#include "config/catalog.h"
#include "config/read.h"
#include "dashboard/decision.h"
#include "dashboard/settings_view.h"
#include "kube/config/file.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cli {
namespace {

// As it was read when we began, unless somebody changed it since. Nothing: there is none.
std::string text_of(const config::RunOptions& options) {
  constexpr std::size_t kMostBytes = std::size_t{16} << 20U;
  if (options.config.empty()) return {};
  return kube::read_whole_file(options.config, kMostBytes).value_or("");
}

}  // namespace

std::unique_ptr<DaemonDashboard> DaemonDashboard::make(DaemonDashboardParts parts) {
  if (!parts.configuration->rescheduler.dashboard.enabled) return nullptr;
  return std::unique_ptr<DaemonDashboard>(new DaemonDashboard(std::move(parts)));
}

DaemonDashboard::DaemonDashboard(DaemonDashboardParts parts) : parts_(std::move(parts)) {
  const config::ReschedulerSettings& settings = parts_.configuration->rescheduler;
  const auto& election = parts_.configuration->leader_election;
  dashboard::DashboardParts made{.executor = parts_.services.executor};
  made.clock = parts_.services.clock;
  made.api = parts_.api;
  made.lease_namespace = election.resource_namespace;
  made.lease_name = election.resource_name;
  made.board.cluster = parts_.cluster;
  made.board.boot = fmt::format("{:x}", parts_.services.clock->wall_now().time_since_epoch().count());
  made.board.pools = settings.rescheduling.pools;
  made.board.weights = settings.placing.balance_weights();
  made.grafana = settings.dashboard.grafana;
  made.settings_json = dashboard::settings_json(*parts_.configuration, config::default_catalog(), *parts_.options,
                                                text_of(*parts_.options), "file");
  made.explain = [this](api::Pod pod, placement::NodesTold told) -> net::Task<Result<std::string>> {
    if (sources_.live == nullptr) co_return fail(Errc::Unavailable, "this process is about to end");
    auto said = co_await dashboard::explain(*sources_.live, std::move(pod), std::move(told));
    co_return said;
  };
  dashboard_ = std::make_shared<dashboard::Dashboard>(std::move(made));
}

void DaemonDashboard::listen(migration::MigrationController& mover) {
  mover.on_change([weak = std::weak_ptr(dashboard_)](const api::Migration& migration, bool gone) {
    if (const auto self = weak.lock()) self->board().migration(migration, gone);
  });
}

void DaemonDashboard::listen(rescheduling::LiveReschedulerSettings& settings) {
  settings.on_plan = [weak = std::weak_ptr(dashboard_)](const rescheduling::Plan& plan) {
    if (const auto self = weak.lock()) self->board().plan(plan);
  };
  settings.on_node_news = [weak = std::weak_ptr(dashboard_)](const rescheduling::NodeNews& news) {
    const auto self = weak.lock();
    if (!self) return;
    self->board().tell({"maintenance", news.warning, fmt::format("{}: {}", news.node, news.note),
                        dashboard::NewsObject{"Node", "", news.node}});
  };
}

std::function<void(const rescheduling::recovery::RecoveryNews&)> DaemonDashboard::recovery_news() {
  return [weak = std::weak_ptr(dashboard_)](const rescheduling::recovery::RecoveryNews& news) {
    const auto self = weak.lock();
    if (!self) return;
    self->board().tell({"recovery", news.warning, fmt::format("{} {}/{}: {}", news.kind, news.ns, news.name, news.note),
                        dashboard::NewsObject{news.kind, news.ns, news.name}});
  };
}

void DaemonDashboard::ask(DaemonDashboardSources sources) {
  sources_ = std::move(sources);
  dashboard::BoardSources asked;
  auto* controller = sources_.rescheduler == nullptr ? nullptr : &sources_.rescheduler->controller();
  if (controller != nullptr) {
    asked.status = [controller] { return &controller->status(); };
    asked.modes = [controller] { return controller->modes(); };
  }
  if (sources_.recovers) {
    asked.recovery = [this]() -> std::vector<rescheduling::recovery::SlotPicture> {
      const auto* recovery = sources_.recovery();
      if (recovery == nullptr) return {};
      return recovery->picture();
    };
  }
  asked.leader = [this] {
    dashboard::LeaderWord word;
    word.here = sources_.leading && sources_.leading();
    if (sources_.elector != nullptr) word.name = sources_.elector->leader();
    return word;
  };
  asked.load_sentence = [this] { return sources_.live == nullptr ? std::nullopt : sources_.live->load_status(); };
  dashboard_->board().ask(std::move(asked));
  dashboard::ClusterActionsParts doing{.api = parts_.api, .events = parts_.events, .services = parts_.services};
  doing.ns = parts_.configuration->leader_election.resource_namespace;
  doing.lease = parts_.configuration->leader_election.resource_name;
  doing.host = parts_.host;
  doing.controller = [controller] { return controller; };
  actions_ = std::make_unique<dashboard::ClusterActions>(std::move(doing));
  dashboard_->set_actions(actions_.get());
}

void DaemonDashboard::serve(server::Server& server) {
  dashboard_->serve(server);
  dashboard_->start();
}

net::Task<void> DaemonDashboard::stop() {
  dashboard_->set_actions(nullptr);
  dashboard_->stop();
  sources_ = {};
  if (!actions_) co_return;
  [[maybe_unused]] const auto flushed = co_await actions_->flush();
}

}  // namespace rescheduler::cli
