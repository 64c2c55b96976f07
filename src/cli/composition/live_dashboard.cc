#include "cli/composition/live_dashboard.h"

#include <fmt/format.h>

#include "dashboard/decision.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cli {

LiveDashboard::LiveDashboard(LiveDashboardSettings settings, Composition* composition) : composition_(composition) {
  settings.parts.explain = [this](api::Pod pod, placement::NodesTold told) -> net::Task<Result<std::string>> {
    if (stopping_) co_return fail(Errc::Unavailable, "this process is about to end");
    if (composition_ == nullptr) co_return fail(Errc::Unsupported, "no scheduler runs here");
    auto said = co_await dashboard::explain(composition_->scheduler(), std::move(pod), std::move(told));
    co_return said;
  };
  dashboard_ = std::make_shared<dashboard::Dashboard>(std::move(settings.parts));
  dashboard_->board().ask(sources(std::move(settings.leader)));
  if (composition_ != nullptr) composition_->listen(listeners());
  settings.actions.controller = [composition] { return composition == nullptr ? nullptr : composition->controller(); };
  actions_ = std::make_unique<dashboard::ClusterActions>(std::move(settings.actions));
}

Listeners LiveDashboard::listeners() {
  // Weak: others may speak longer than we listen.
  const auto on_board = [weak = std::weak_ptr(dashboard_)](auto tell) {
    return [weak, tell](const auto&... about) {
      if (const auto self = weak.lock()) tell(self->board(), about...);
    };
  };
  using dashboard::Board;
  Listeners listeners;
  listeners.cluster = dashboard_->sink();
  listeners.on_migration =
      on_board([](Board& board, const auto& migration, bool gone) { board.migration(migration, gone); });
  listeners.on_plan = on_board([](Board& board, const rescheduling::Plan& plan) { board.plan(plan); });
  listeners.on_node_news = on_board([](Board& board, const rescheduling::NodeNews& news) {
    board.tell({"maintenance", news.warning, fmt::format("{}: {}", news.node, news.note),
                dashboard::NewsObject{"Node", "", news.node}});
  });
  listeners.on_recovery_news = on_board([](Board& board, const rescheduling::recovery::RecoveryNews& news) {
    board.tell({"recovery", news.warning, fmt::format("{} {}/{}: {}", news.kind, news.ns, news.name, news.note),
                dashboard::NewsObject{news.kind, news.ns, news.name}});
  });
  return listeners;
}

dashboard::BoardSources LiveDashboard::sources(std::function<dashboard::LeaderWord()> leader) const {
  dashboard::BoardSources sources;
  sources.leader = std::move(leader);
  if (composition_ == nullptr) return sources;
  if (auto* controller = composition_->controller()) {
    sources.status = [controller] { return &controller->status(); };
    sources.modes = [controller] { return controller->modes(); };
  }
  if (const auto* recovery = composition_->recovery()) sources.recovery = [recovery] { return recovery->picture(); };
  sources.load_sentence = [composition = composition_] { return composition->scheduler().load_status(); };
  return sources;
}

void LiveDashboard::serve(server::Server& server, dashboard::DemoDeeds* deeds) {
  dashboard_->set_actions(actions_.get(), deeds);
  dashboard_->serve(server);
}

net::Task<bool> LiveDashboard::stop(std::chrono::nanoseconds /*grace*/) {
  stopping_ = true;
  dashboard_->set_actions(nullptr);
  dashboard_->stop();
  [[maybe_unused]] const auto flushed = co_await actions_->flush();
  co_return true;
}

}  // namespace rescheduler::cli
