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
  dashboard::DashboardParts parts;                  // but `explain`
  dashboard::ClusterActionsParts actions;           // but `controller`
  std::function<dashboard::LeaderWord()> leader{};  // empty: nobody else could be leading
};

// Members belong to the loop's thread.
class LiveDashboard final : public kube::Component {
 public:
  // Listens to the composition, which does not follow yet and outlives it; null: nobody places pods.
  LiveDashboard(LiveDashboardSettings settings, Composition* composition);

  dashboard::Board& board() { return dashboard_->board(); }
  void serve(server::Server& server, dashboard::DemoDeeds* deeds = nullptr);  // the deeds outlive stop()
  void follow() override { dashboard_->start(); }
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

 private:
  Listeners listeners();
  dashboard::BoardSources sources(std::function<dashboard::LeaderWord()> leader) const;

  Composition* composition_;
  bool stopping_ = false;
  std::shared_ptr<dashboard::Dashboard> dashboard_;
  std::unique_ptr<dashboard::ClusterActions> actions_;
};

}  // namespace rescheduler::cli
