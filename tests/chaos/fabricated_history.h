// An API server without controllers, kubelets or a MigrationController. The test writes the history, and a
// HistoryChecker checks it.
#pragma once

#include <string>

#include <gtest/gtest.h>

#include "chaos/history_checker.h"
#include "kube/client/client.h"
#include "sim/frontend/documents.h"
#include "sim/frontend/local_api.h"
#include "sim/server/server.h"
#include "sim/time/agenda.h"
#include "sim/time/pacer.h"

namespace rescheduler::test {

class FabricatedHistory {
 public:
  // Two nodes of one CPU each, "n" and "m".
  FabricatedHistory();

  // Objects. A pod is ready, requests 100m CPU and is on "n". A pod without a workload is bare.
  void workload(const std::string& app, int replicas);  // a Deployment with all its pods: app-0, app-1, ...
  void pod(const std::string& name, const std::string& app, const std::string& node = "n", bool bare = false);
  void pod_json(const std::string& metadata, const std::string& spec);
  void budget(const std::string& name, const std::string& app, const std::string& demand);
  void patch_node(const std::string& name, const std::string& json, const std::string& subresource = "");
  void patch_deployment(const std::string& app, const std::string& json);
  void patch_pod(const std::string& name, const std::string& json);
  void patch_budget(const std::string& name, const std::string& json);
  void patch_migration(const std::string& name, const std::string& json);
  void delete_migration(const std::string& name);
  std::string uid_of(const std::string& pod) const;

  // Writes of a MigrationController.
  void move(const std::string& name, const std::string& pod, const std::string& mode, const std::string& phase);
  void enter(const std::string& move, const std::string& phase, const std::string& replacement = "");
  void evict(const std::string& pod);
  void remove(const std::string& pod);  // sets the deletion timestamp; the pod stays, because no kubelet removes it

  void wait(std::chrono::seconds duration) { loop_.run_for(duration); }

  sim::Agenda& agenda() { return agenda_; }
  sim::Server& server() { return server_; }
  kube::Api& api() { return api_; }
  sim::VirtualLoop& loop() { return loop_; }
  HistoryChecker& checker() { return checker_; }

 private:
  template <class T>
  void create(const std::string& json);
  template <class T>
  void patch(const std::string& ns, const std::string& name, const std::string& json, const std::string& subresource);
  void node(const std::string& name);

  sim::Agenda agenda_;
  sim::Server server_{agenda_, Rng(7)};
  HistoryChecker checker_{server_};
  sim::Documents documents_{server_};
  sim::LocalApi api_{server_, documents_};
  kube::Client client_{api_};
  sim::VirtualLoop loop_{agenda_};  // last member: its coroutines use the others
};

}  // namespace rescheduler::test
