// The dashboard of a Composition. It listens to the components, queries their state, and acts through them.
#pragma once

#include <functional>
#include <memory>

#include "cli/composition/composition.h"
#include "dashboard/cluster_actions.h"
#include "dashboard/dashboard.h"
#include "kube/leader/component.h"
#include "server/server.h"

namespace rescheduler::cli {

struct LiveDashboardSettings {
  dashboard::DashboardParts parts;                    // without `explain`
  dashboard::ClusterActionsParts actions;             // without `controller`
  std::function<dashboard::LeaderStatus()> leader{};  // empty: no leader election
};

// Members belong to the thread of the event loop.
class LiveDashboard final : public kube::Component {
 public:
  // Listens to the composition, which must not follow yet and must outlive this object; null: no scheduler.
  LiveDashboard(LiveDashboardSettings settings, Composition* composition);

  dashboard::DashboardModel& model() { return dashboard_->model(); }
  void serve(server::Server& server, dashboard::DemoActions* demo_actions = nullptr);  // actions outlive stop()
  void follow() override { dashboard_->start(); }
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

 private:
  Listeners listeners();
  dashboard::DashboardSources sources(std::function<dashboard::LeaderStatus()> leader) const;

  Composition* composition_;
  bool stopping_ = false;
  std::shared_ptr<dashboard::Dashboard> dashboard_;
  std::unique_ptr<dashboard::ClusterActions> actions_;
};

}  // namespace rescheduler::cli
