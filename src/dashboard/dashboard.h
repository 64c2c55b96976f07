// /ui/ and /api/v1 on a server: the board, the stream of its changes, and what answers where.
//
//   Dashboard dashboard(parts);
//   dashboard.board().ask(sources); scheduler.listen(dashboard.sink()); ...
//   dashboard.serve(server);       // once
//   dashboard.start();             // tells what changes from now on
//   dashboard.stop();              // before what it asks is gone
//
// Belongs to the loop's thread.
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

// Where something is answered: for serving it, and for whoever checks that all of it is documented.
struct RouteInfo {
  std::string method{};
  std::string path{};  // "/api/v1/nodes/{name}"
};
// The text of /api/v1/openapi.json.
std::string_view openapi();

struct DashboardParts {
  net::Executor executor;
  const Clock* clock = nullptr;                 // the cluster's
  kube::Api* api = nullptr;                     // for a pod's labels, and to see whether it answers; null: neither
  std::string lease_namespace = "kube-system";  // of an object to ask for, to see that
  std::string lease_name = "rescheduler-scheduler";
  DashboardModelSettings model{};
  bool demo = false;
  std::string grafana{};
  std::string settings_json = R"({"rows":[],"file":null})";
  // "Why here, why not there" of a pod as if it were to be placed now. Empty: nobody can say.
  std::function<net::Task<Result<std::string>>(api::Pod pod, placement::NodeListing told)> explain{};
};

class Dashboard {
 public:
  explicit Dashboard(DashboardParts parts);
  ~Dashboard();
  Dashboard(const Dashboard&) = delete;
  Dashboard& operator=(const Dashboard&) = delete;

  DashboardModel& model();
  EventStream& event_stream();
  scheduler::ClusterSink sink();                                            // for what the scheduler is told
  void set_actions(Actions* actions, DemoActions* demo_actions = nullptr);  // outlive stop()

  void serve(server::Server& server);
  void start();
  void stop();

  static std::vector<RouteInfo> routes();  // of /api/

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace rescheduler::dashboard
