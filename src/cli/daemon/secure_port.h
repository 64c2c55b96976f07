// The port of the daemon: health, metrics, /configz, the last plans, our plugins as an extender, and the dashboard.
#pragma once

#include <memory>
#include <optional>

#include "cli/composition/live_dashboard.h"
#include "cli/daemon/daemon.h"
#include "cli/daemon/installation_monitor.h"
#include "server/delegated_auth.h"
#include "server/plugin_extender.h"
#include "server/server.h"

namespace rescheduler::cli {

// Members except port() belong to the network thread. All arguments must outlive the object.
class SecurePort final : public kube::Component {
 public:
  static Result<std::unique_ptr<SecurePort>> listen(const DaemonSettings& settings,
                                                    server::DelegatedAuth auth,
                                                    const kube::LoopServices& services);

  void serve(Composition& composition, std::function<dashboard::LeaderStatus()> leader, kube::Api& api);
  void serve(const InstallationMonitor& monitor);
  void serve(LiveDashboard& dashboard) { dashboard.serve(*server_); }
  int port() const { return server_->port(); }
  void about_to_stop() { stopping_ = true; }  // /readyz then fails
  net::Task<bool> stop(std::chrono::nanoseconds grace) override;

 private:
  explicit SecurePort(server::DelegatedAuth auth) : auth_(std::move(auth)) {}

  server::DelegatedAuth auth_;
  std::unique_ptr<server::Server> server_;
  std::unique_ptr<server::PluginExtender> extender_;
  bool stopping_ = false;
};

// Empty: the dashboard is off.
std::optional<LiveDashboardSettings> dashboard_settings(const DaemonSettings& settings,
                                                        kube::Api& api,
                                                        kube::Api& events,
                                                        const kube::LoopServices& services);

}  // namespace rescheduler::cli
