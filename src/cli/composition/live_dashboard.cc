#include "cli/composition/live_dashboard.h"

#include <fmt/format.h>

#include "dashboard/decision.h"
#include "kube/proto/core_pod.pb.h"

namespace rescheduler::cli {

LiveDashboard::LiveDashboard(LiveDashboardSettings settings, Composition* composition) : composition_(composition) {
  settings.parts.explain = [this](api::Pod pod, placement::NodeListing listing) -> net::Task<Result<std::string>> {
    if (stopping_) co_return fail(Errc::Unavailable, "this process is shutting down");
    if (composition_ == nullptr) co_return fail(Errc::Unsupported, "no scheduler runs here");
    auto explanation = co_await dashboard::explain(composition_->scheduler(), std::move(pod), std::move(listing));
    co_return explanation;
  };
  dashboard_ = std::make_shared<dashboard::Dashboard>(std::move(settings.parts));
  dashboard_->model().set_sources(sources(std::move(settings.leader)));
  if (composition_ != nullptr) composition_->listen(listeners());
  settings.actions.controller = [composition] { return composition == nullptr ? nullptr : composition->controller(); };
  actions_ = std::make_unique<dashboard::ClusterActions>(std::move(settings.actions));
}

Listeners LiveDashboard::listeners() {
  // Weak, because components can call the listeners after this object is gone.
  const auto on_model = [weak = std::weak_ptr(dashboard_)](auto update) {
    return [weak, update](const auto&... about) {
      if (const auto self = weak.lock()) update(self->model(), about...);
    };
  };
  using dashboard::DashboardModel;
  Listeners listeners;
  listeners.cluster = dashboard_->sink();
  listeners.on_migration =
      on_model([](DashboardModel& model, const auto& migration, bool gone) { model.migration(migration, gone); });
  listeners.on_plan = on_model([](DashboardModel& model, const rescheduling::Plan& plan) { model.plan(plan); });
  listeners.on_node_activity = on_model([](DashboardModel& model, const rescheduling::NodeActivity& activity) {
    model.add_activity({"maintenance", activity.warning, fmt::format("{}: {}", activity.node, activity.note),
                        dashboard::ActivityObject{"Node", "", activity.node}});
  });
  listeners.on_recovery_activity =
      on_model([](DashboardModel& model, const rescheduling::recovery::RecoveryActivity& activity) {
        const std::string name = activity.ns.empty() ? activity.name : activity.ns + "/" + activity.name;
        model.add_activity({"recovery", activity.warning, fmt::format("{} {}: {}", activity.kind, name, activity.note),
                            dashboard::ActivityObject{activity.kind, activity.ns, activity.name}});
      });
  return listeners;
}

dashboard::DashboardSources LiveDashboard::sources(std::function<dashboard::LeaderStatus()> leader) const {
  dashboard::DashboardSources sources;
  sources.leader = std::move(leader);
  if (composition_ == nullptr) return sources;
  if (auto* controller = composition_->controller()) {
    sources.status = [controller] { return &controller->status(); };
    sources.modes = [controller] { return controller->modes(); };
  }
  if (const auto* recovery = composition_->recovery()) sources.recovery = [recovery] { return recovery->slots(); };
  sources.load_sentence = [composition = composition_] { return composition->scheduler().load_status(); };
  return sources;
}

void LiveDashboard::serve(server::Server& server, dashboard::DemoActions* demo_actions) {
  dashboard_->set_actions(actions_.get(), demo_actions);
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
