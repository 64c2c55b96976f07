// The dashboard of a Composition: told what its components do, asks them what they know, acts through them.
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
  dashboard::DashboardParts parts;                    // but `explain`
  dashboard::ClusterActionsParts actions;             // but `controller`
  std::function<dashboard::LeaderStatus()> leader{};  // empty: nobody else could be leading
};

// Members belong to the loop's thread.
class LiveDashboard final : public kube::Component {
 public:
  // Listens to the composition, which does not follow yet and outlives it; null: nobody places pods.
  LiveDashboard(LiveDashboardSettings settings, Composition* composition);

  dashboard::DashboardModel& model() { return dashboard_->model(); }
  void serve(server::Server& server, dashboard::DemoActions* demo_actions = nullptr);  // the deeds outlive stop()
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
