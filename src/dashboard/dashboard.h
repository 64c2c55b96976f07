// Serves /ui/ and /api/v1: the model, the stream of its changes, and the handlers of all paths.
//
//   Dashboard dashboard(parts);
//   dashboard.model().set_sources(sources); scheduler.listen(dashboard.sink()); ...
//   dashboard.serve(server);       // once
//   dashboard.start();             // publishes changes from now on
//   dashboard.stop();              // before the sources are destroyed
//
// Used only on the thread of the event loop.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "dashboard/actions.h"
#include "dashboard/dashboard_model.h"
#include "dashboard/event_stream.h"
#include "net/event_loop.h"
#include "placement/explain.h"
#include "scheduler/cluster_sink.h"
#include "server/server.h"

namespace rescheduler::api {
class Pod;
}  // namespace rescheduler::api

namespace rescheduler::dashboard {

// A path of the API: for serving, and for the check that every path is documented.
struct RouteInfo {
  std::string method{};
  std::string path{};  // "/api/v1/nodes/{name}"
};
// The text of /api/v1/openapi.json.
std::string_view openapi();

struct DashboardParts {
  net::Executor executor;
  const Clock* clock = nullptr;                 // the clock of the cluster
  kube::Api* api = nullptr;                     // for labels of pods, and to check that it answers; null: neither
  std::string lease_namespace = "kube-system";  // the lease that this check reads
  std::string lease_name = "rescheduler-scheduler";
  DashboardModelSettings model{};
  bool demo = false;
  std::string grafana{};
  std::string settings_json = R"({"rows":[],"file":null})";
  // Explains the decision for a pod as if it were scheduled now. Empty: not available.
  std::function<net::Task<Result<std::string>>(api::Pod pod, placement::NodeListing listing)> explain{};
};

class Dashboard {
 public:
  explicit Dashboard(DashboardParts parts);
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  DashboardModel& model();
  EventStream& event_stream();
  scheduler::ClusterSink sink();                                            // for the changes that the scheduler sees
  void set_actions(Actions* actions, DemoActions* demo_actions = nullptr);  // must outlive stop()

  void serve(server::Server& server);
  void start();
  void stop();

  static std::vector<RouteInfo> routes();  // below /api/

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::dashboard
